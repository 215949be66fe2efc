"""What Grafana makes of a dashboard's queries, by the words of its documentation: macros, variables and their formats."""
import json
import re
from pathlib import Path

BOARDS = Path(__file__).resolve().parents[2] / "deploy/fleet/grafana"
MACROS = {"$__timeFrom()": "'2026-05-01T00:00:00Z'", "$__timeTo()": "'2026-07-01T00:00:00Z'",
          "$__fromTime": "toDateTime('2026-05-01 00:00:00')", "$__toTime": "toDateTime('2026-07-01 00:00:00')"}
# "Advanced variable format options": what a quote in a value becomes.
FORMATS = {"singlequote": "\\'", "sqlstring": "''"}


class Board:
    """The dashboard of a server's kind."""

    def __init__(self, server):
        self.server = server
        kind = "postgresql" if server.name == "PostgreSQL" else "clickhouse"
        self.board = json.loads((BOARDS / f"{kind}.json").read_text(encoding="utf-8"))

    def options(self, variable):
        """The value of each text that a user can select."""
        query = next(v["query"] for v in self.board["templating"]["list"] if v["name"] == variable)
        options = {}
        for row in self.server.ask(query):
            value, text = (row[0], row[-1])
            assert text not in options or options[text] != value
            options[text] = value
        return options

    def panels(self, **chosen):
        """The title and the rows of each panel, where these texts of the variables are selected."""
        values = {name: [self.options(name)[text] for text in texts] for name, texts in chosen.items()}
        for panel in self.board["panels"]:
            yield panel["title"], self.server.ask(interpolated(panel["targets"][0]["rawSql"], values))


def interpolated(sql, values):
    for macro, value in MACROS.items():
        sql = sql.replace(macro, value)

    def quoted(found):
        return ",".join("'" + value.replace("'", FORMATS[found[2]]) + "'" for value in values[found[1]])
    sql = re.sub(r"\$\{(\w+):(\w+)\}", quoted, sql)
    return sql
