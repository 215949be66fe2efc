"""Figures of reports and runs, made with Plotly. `Report.plot()` and `Run.timeline()` call them.

Colors are those of the page, by kind of time; axes have units; long names are cut in the middle and whole on hover.
"""
