{%- from 'nginx/map.jinja' import nginx with context %}

nginx_ssl_dir:
  file.directory:
    - names:
      - {{ nginx.conf_dir }}/ssl
      - {{ nginx.conf_dir }}/ssl/private:
        - mode: '0700'
    - mode: '0755'
    - require:
      - pkg: nginx_install

{%- for domain, pair in nginx.certificates.items() %}
nginx_{{ domain }}_cert:
  file.managed:
    - name: {{ nginx.conf_dir }}/ssl/{{ domain }}.crt
    - contents_pillar: nginx:certificates:{{ domain }}:public_cert
    - mode: '0644'
    - require:
      - file: nginx_ssl_dir

nginx_{{ domain }}_key:
  file.managed:
    - name: {{ nginx.conf_dir }}/ssl/private/{{ domain }}.key
    - contents_pillar: nginx:certificates:{{ domain }}:private_key
    - mode: '0600'
    - show_changes: False
    - require:
      - file: nginx_ssl_dir

nginx_{{ domain }}_told:
  cmd.wait:
    - name: echo '{{ domain }}' >> /var/log/certificates
    - watch:
      - file: nginx_{{ domain }}_cert
      - file: nginx_{{ domain }}_key
{%- endfor %}
