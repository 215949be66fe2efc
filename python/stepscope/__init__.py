"""Stepscope: analyses of traces of training jobs, and the goodput of long ones."""
