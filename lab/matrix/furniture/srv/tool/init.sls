{%- from "tool/map.jinja" import tool with context %}
include:
  - tool.dir

tool-config:
  file.managed:
    - name: {{ tool.root }}/tool.conf
    - source: salt://tool/files/tool.conf
    - template: jinja
    - mode: '{{ tool.mode }}'
    - context:
        port: {{ tool.port }}
        flavour: {{ tool.flavour }}
    - require:
      - file: tool-dir

tool-users:
  file.managed:
    - name: {{ tool.root }}/users
    - contents:
{%- for user in salt['pillar.get']('tool:users', []) %}
      - {{ user }}
{%- endfor %}
    - require_in:
      - cmd: tool-check

tool-check:
  cmd.run:
    - name: grep -c . {{ tool.root }}/users > {{ tool.root }}/count
    - onchanges:
      - file: tool-config
