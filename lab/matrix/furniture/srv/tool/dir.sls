{%- from "tool/map.jinja" import tool with context %}
tool-dir:
  file.directory:
    - name: {{ tool.root }}
    - makedirs: True
