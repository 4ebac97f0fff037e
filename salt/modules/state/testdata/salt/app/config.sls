{% from tpldir ~ "/map.jinja" import app with context %}
app-dir:
  file.directory:
    - name: {{ app.dir }}
    - makedirs: True
app-config:
  file.managed:
    - name: {{ app.dir }}/app.conf
    - source: salt://{{ slspath }}/files/app.conf.j2
    - template: jinja
    - context:
        app: {{ app | tojson }}
        features: {{ salt['pillar.get']('app:features') }}
    - require:
      - file: app-dir
app-settings:
  file.managed:
    - name: {{ app.dir }}/settings.yaml
    - contents: |
        {{ {'port': app.port, 'list': [1, 2], 'on': True} | yaml(False) | indent(8) }}
