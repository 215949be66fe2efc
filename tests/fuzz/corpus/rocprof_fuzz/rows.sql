INSERT INTO rocpd_event_a1 VALUES (1, 1, 5, '{}'), (2, 3, 6, '{"message": "step 3"}');
INSERT INTO rocpd_region_a1 VALUES (1, 9, 144, 161, 90, 95, 2, 1), (2, 9, 144, 161, 10, 80, 4, 2);
INSERT INTO rocpd_kernel_dispatch_a1 VALUES (1, 9, 144, 161, 1, 1, 3, 0, 100, 150, 1024, 256, 1, 1, 2000, 2, 1, 1);
INSERT INTO rocpd_memory_copy_a1 VALUES (1, 9, 144, 161, 210, 220, 5, 1, 0, 4096, 5, 1);
