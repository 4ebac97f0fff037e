{% set dir = '@OUT@/jobs' %}
{% set jobs = {'backup': '0 3 * * *', 'clean': '*/5 * * * *'} %}
{{ dir }}:
  file.directory:
    - makedirs: True
{% for job, when in jobs | dictsort %}
{{ dir }}/{{ job }}.cron:
  file.managed:
    - source: salt://jobs/files/cron.j2
    - template: jinja
    - mode: 644
    - context: {job: {{ job }}, when: "{{ when }}"}
    - require: [{file: {{ dir }}}]
    - watch_in:
      - cmd: jobs-reload
{% endfor %}
jobs-reload:
  cmd.wait:
    - name: ls {{ dir }}
extra:
  file.append:
    - name: {{ dir }}/backup.cron
    - text: "# end of backup"
    - require:
      - file: {{ dir }}
link:
  file.symlink:
    - name: @OUT@/current
    - target: {{ dir }}
tree:
  file.recurse:
    - name: @OUT@/tree
    - source: salt://f/tree
    - file_mode: '0600'
gone:
  file.absent:
    - names: [@OUT@/old1, @OUT@/old2]
