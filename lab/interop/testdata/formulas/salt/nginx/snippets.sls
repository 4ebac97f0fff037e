{%- from 'nginx/map.jinja' import nginx with context %}
{%- from 'nginx/libtab/macros.jinja' import lines with context %}

nginx_snippets_dir:
  file.directory:
    - name: {{ nginx.conf_dir }}/snippets
    - user: root
    - group: root
    - mode: '0755'
    - clean: True

{%- for snippet, entries in nginx.snippets | dictsort %}
nginx_snippet_{{ snippet }}:
  file.managed:
    - name: {{ nginx.conf_dir }}/snippets/{{ snippet }}.conf
    - contents: |
        # {{ snippet }}
        {{- lines(entries) | indent(8) }}
    - require_in:
      - file: nginx_snippets_dir
    - watch_in:
      - service: nginx_service
{% endfor %}
