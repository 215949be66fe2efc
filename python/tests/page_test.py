"""The page, served by the process that asks."""
import json
import time
import urllib.error
import urllib.request

import pytest
import stepscope


def test_gives_the_page_as_many_rows_as_asked_for(run):
    def rows(**limits):
        with run.serve(**limits) as page:
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            browser.open(page.url, timeout=60)
            address = page.url.split("?")[0] + "api/"
            for _ in range(600):
                state = json.load(browser.open(address + "state", timeout=60))["runs"][0]
                if state["state"] == "ready":
                    break
                time.sleep(0.1)
            answer = json.load(browser.open(f"{address}runs/{state['id']}/answer?only=kernel_breakdown", timeout=60))
            return max(len(table["rows"]) for table in answer["reports"][0]["tables"])

    assert rows(most_rows=1) == 1
    assert rows(most_rows=0) == rows() > 1
    with pytest.raises(stepscope.QuestionError):
        run.serve(most_rows=-1)


def test_serves_until_closed(run):
    with run.serve() as page:
        assert page.url.startswith("http://127.0.0.1:") and "token=" in page.url
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert browser.open(page.url, timeout=60).status == 200
        frame = page._repr_html_()
        assert frame.startswith("<iframe ") and page.url.split("?")[0] in frame
        url = page.url
    assert page.url == ""
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=5)


def test_show_is_a_frame_of_the_size_asked_for(run, monkeypatch):
    import webbrowser

    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    page = run.show(width=500, height=300)
    assert opened == [page.url]
    assert 'width="500"' in page._repr_html_() and 'height="300"' in page._repr_html_()
    began = time.monotonic()
    page.close()
    page.close()
    assert time.monotonic() - began < 10
