{%- from 'users/map.jinja' import settings with context %}
{%- from 'users/libtab/macros.jinja' import files_switch with context %}

users_profile:
  file.managed:
    - name: {{ settings.profile_dir }}/site.sh
    - source:
      {{- files_switch(['site.sh.jinja'], 'users') }}
    - template: jinja
    - mode: '0644'
    - makedirs: True
    - context:
        umask: '{{ settings.umask }}'
        variables: {{ salt['pillar.get']('profile:variables', {'TZ': 'UTC'}, merge=True) | json }}

users_motd:
  file.managed:
    - name: /etc/motd.site
    - contents_pillar: profile:motd
    - replace: True

users_motd_link:
  file.symlink:
    - name: /etc/motd.link
    - target: /etc/motd.site
    - force: True
    - require:
      - file: users_motd

users_login_defs:
  file.replace:
    - name: /etc/login.defs
    - pattern: ^UMASK(\s+)\d+$
    - repl: UMASK\g<1>{{ '%04d' | format(settings.umask | int) }}
    - backup: False
    - show_changes: True

users_skel_note:
  file.prepend:
    - name: /etc/skel/.profile
    - text:
      - '# site {{ salt['pillar.get']('site', 'none') }}'
      - '# {{ salt['pillar.get']('profile:variables:PAGER') }}'
