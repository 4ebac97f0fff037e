{% from "app/map.jinja" import app with context %}
app-run:
  cmd.run:
    - name: cat {{ app.dir }}/app.conf | wc -l
    - require:
      - sls: app.config
app-check:
  test.configurable_test_state:
    - changes: {{ app.workers > 2 }}
    - result: True
    - comment: "workers={{ app.workers }}"
    - watch:
      - file: app-config
app-listen:
  test.nop:
    - listen:
      - test: app-check
app-fail:
  test.fail_without_changes: []
app-rescue:
  cmd.run:
    - name: echo rescued
    - onfail:
      - test: app-fail
    - onfail_stop: False
