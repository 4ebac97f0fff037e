{%- from 'cron/map.jinja' import cron with context %}
{% for name, script in salt['pillar.get']('cron:scripts', {}).items() %}
cron_script_{{ name }}:
  file.managed:
    - name: {{ cron.bin }}/{{ name }}
    - mode: '{{ script.mode }}'
    - contents: |
        #!/bin/sh
        # {{ slspath }}, {{ tplfile | default('?') }}
        {{ script.body }}
{% endfor %}
{% for i in range(3) %}
cron_spool_{{ i }}:
  file.directory:
    - name: /var/spool/site/{{ i }}
    - makedirs: True
    - mode: '07{{ i }}0'
{% endfor %}
