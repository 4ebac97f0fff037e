{%- from 'nginx/map.jinja' import nginx with context %}

nginx_config:
  file.managed:
    - name: {{ nginx.conf_dir }}/nginx.conf
    - source: salt://nginx/config/files/nginx.conf.jinja
    - template: jinja
    - mode: '{{ nginx.conf_mode }}'
    - defaults:
        header: none
        config: {}
    - context:
        config: {{ nginx.server.config | json(sort_keys=False) }}

nginx_mime:
  file.managed:
    - name: {{ nginx.conf_dir }}/mime.types
    - source: salt://{{ slspath }}/files/mime.types
    - source_hash: salt://{{ slspath }}/files/mime.types.sha256
    - require_in:
      - file: nginx_config

nginx_htpasswd:
  file.managed:
    - name: {{ nginx.conf_dir }}/htpasswd
    - user: root
    - group: {{ nginx.webuser }}
    - mode: '0640'
    - show_changes: False
    - contents:
{%- for entry in salt['pillar.get']('nginx:htpasswd', []) %}
      - '{{ entry.user }}:{{ entry.hash }}'
{%- endfor %}
    - require:
      - pkg: nginx_install

nginx_check:
  cmd.run:
    - name: {{ nginx.check_config }}
    - onchanges:
      - file: nginx_config
      - file: nginx_mime

nginx_backup:
  cmd.run:
    - name: cp -p {{ nginx.conf_dir }}/nginx.conf {{ nginx.conf_dir }}/nginx.conf.before
    - onlyif: test -f {{ nginx.conf_dir }}/nginx.conf
    - prereq:
      - file: nginx_config

nginx_never:
  cmd.run:
    - name: echo this is never run
    - unless:
      - test -d /etc
      - 'true'

nginx_by_function:
  cmd.run:
    - name: echo by a function
    - onlyif:
      - fun: file.directory_exists
        path: {{ nginx.conf_dir }}
    - unless:
      - fun: file.file_exists
        path: {{ nginx.conf_dir }}/mime.types
