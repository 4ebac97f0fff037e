{%- from 'nginx/map.jinja' import nginx with context %}

include:
  - nginx.pkg
  - nginx.config
  - nginx.snippets
  - nginx.certificates
  - nginx.sites
  - nginx.service

{#- The service takes up what the other files say, and the check goes before it. #}
extend:
  nginx_service:
    service:
      - listen:
        - file: nginx_config
      - require:
        - cmd: nginx_check
  nginx_config:
    file:
      - require:
        - pkg: nginx_install
      - context:
          header: of {{ sls }}
