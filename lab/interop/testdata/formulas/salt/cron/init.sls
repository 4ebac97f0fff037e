{%- from tpldir ~ '/map.jinja' import cron, tasks with context %}
{%- from 'cron/libtab/macros.jinja' import task %}

include:
  - users
  - .scripts

cron_pkg:
  pkg.installed:
    - name: {{ cron.pkg }}
    - refresh: False

cron_service:
  service.{{ 'running' if salt['pillar.get']('cron:enabled', True) else 'dead' }}:
    - name: {{ cron.service }}
    - enable: {{ salt['pillar.get']('cron:enabled', True) }}
    - require:
      - pkg: cron_pkg

{%- for variable, value in salt['pillar.get']('cron:env', {}) | dictsort %}
cron_env_{{ variable }}:
  cron.env_present:
    - name: {{ variable }}
    - value: {{ value }}
    - user: root
    - require:
      - pkg: cron_pkg
{% endfor %}

cron_env_gone:
  cron.env_absent:
    - name: SHELL
    - require:
      - pkg: cron_pkg

{%- for name, t in tasks | dictsort %}
cron_task_{{ name }}:
  cron.{{ t.get('type', 'present') }}:
    {{- task(name, t) }}
    - require:
      - pkg: cron_pkg
{%-   if t.get('user', 'root') != 'root' %}
      - user: users_{{ t.user }}_user
{%-   endif %}
{%-   if name in salt['pillar.get']('cron:scripts') %}
      - file: cron_script_{{ name }}
{%-   endif %}
{% endfor %}

cron_table_of_ben:
  cron.file:
    - name: salt://cron/files/ben.cron.jinja
    - template: jinja
    - user: ben
    - context:
        hour: {{ salt['pillar.get']('cron:tasks:backup:hour') + 1 }}
    - require:
      - pkg: cron_pkg
      - user: users_ben_user

cron_d:
  file.managed:
    - name: {{ cron.dir }}/site
    - mode: '0644'
    - contents:
      - 'SHELL=/bin/sh'
      - '{{ 30 }} {{ 2 + 1 }} * * * root {{ cron.bin }}/backup'
    - require:
      - pkg: cron_pkg
    - watch_in:
      - service: cron_service
