{%- from 'nginx/map.jinja' import nginx with context %}
{%- set enabled = [] %}

nginx_sites_dirs:
  file.directory:
    - makedirs: True
    - names: {{ [nginx.sites_available, nginx.sites_enabled] | json }}
    - require:
      - pkg: nginx_install

{%- for name, site in nginx.sites.items() %}
{%-   set available = nginx.sites_available ~ '/' ~ name %}
{%-   if site.get('deleted', False) %}
nginx_site_{{ name }}_deleted:
  file.absent:
    - names:
      - {{ available }}
      - {{ nginx.sites_enabled }}/{{ name }}
{%    elif 'server_name' in site %}
{%-     do enabled.append(name) if site.enabled %}
nginx_site_{{ name }}:
  file.managed:
    - name: {{ available }}
    - source: salt://nginx/files/default/site.conf.jinja
    - template: jinja
    - context:
        name: {{ name }}
        site: {{ site | json }}
    - require:
      - file: nginx_sites_dirs
    - watch_in:
      - service: nginx_service

nginx_site_{{ name }}_root:
  file.directory:
    - name: {{ site.root }}
    - user: {{ nginx.webuser }}
    - group: {{ nginx.webuser }}
    - dir_mode: '0755'
    - file_mode: '0644'
    - makedirs: True
    - recurse: [user, group, mode]
    - require:
      - pkg: nginx_install

nginx_site_{{ name }}_pages:
  file.recurse:
    - name: {{ site.root }}
    - source: salt://nginx/files/default/pages
    - include_empty: True
    - exclude_pat: '*.draft'
    - template: jinja
    - file_mode: keep
    - user: {{ nginx.webuser }}
    - context:
        title: {{ name | capitalize }}
    - require:
      - file: nginx_site_{{ name }}_root

nginx_site_{{ name }}_enabled:
  file.symlink:
    - name: {{ nginx.sites_enabled }}/{{ name }}
    - target: {{ available }}
    - onlyif: test -f {{ available }}
    - require:
      - file: nginx_site_{{ name }}
    - watch_in:
      - service: nginx_service
{%    elif not site.enabled %}
nginx_site_{{ name }}_off:
  file.absent:
    - name: {{ nginx.sites_enabled }}/{{ name }}
    - listen_in:
      - service: nginx_service
{%    endif %}
{%- endfor %}

nginx_sites_list:
  file.managed:
    - name: {{ nginx.conf_dir }}/sites.list
    - contents: {{ enabled | sort | join('\n') | json }}
    - contents_newline: False
