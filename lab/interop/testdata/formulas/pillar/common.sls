{%- set site = 'harbour' %}
site: {{ site }}
roles: [web, batch]
profile:
  motd: |
    Welcome to {{ site }}.
    Roles: {{ ['web', 'batch'] | join(', ') }}
  banner: "{{ site | title }}: authorised users only"
  variables:
    PAGER: less -R
    SITE: {{ site }}
    N: 3
  background: light
users:tofs:note: unused
