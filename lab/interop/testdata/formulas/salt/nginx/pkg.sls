{%- from tpldir ~ '/map.jinja' import nginx with context %}

nginx_install:
  pkg.installed:
    - name: {{ nginx.pkg }}
    - version: '1.22.*'
    - refresh: True

nginx_no_apache:
  pkg.removed:
    - pkgs:
      - apache-small
      - lighttpd-small
    - require_in:
      - pkg: nginx_install

nginx_old_tools:
  pkg.purged:
    - name: tools-small

nginx_tools:
  pkg.latest:
    - name: nginx-tools
    - refresh: False
    - require:
      - pkg: nginx_install
