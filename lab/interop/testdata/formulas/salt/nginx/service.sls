{%- from 'nginx/map.jinja' import nginx with context %}

nginx_service:
  service.running:
    - name: {{ nginx.service }}
    - enable: True
    - reload: True

nginx_other_service:
  service.dead:
    - name: apache-small
    - enable: False
    - require_in:
      - service: nginx_service

nginx_no_such_service:
  service.disabled:
    - name: nosuchservice

nginx_running:
  cmd.run:
    - name: service {{ nginx.service }} status
    - stateful: False
    - onfail:
      - service: nginx_service

nginx_status:
  module.run:
    - service.status:
      - name: {{ nginx.service }}
    - onchanges:
      - service: nginx_service
