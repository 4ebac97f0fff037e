{#- Files in every way in which a formula writes them. #}
{%- set base = '/srv/site' %}
{%- set settings = salt['pillar.get']('tree:settings') %}
{%- macro below(name) -%}{{ base }}/{{ name }}{%- endmacro %}

tree_base:
  file.directory:
    - name: {{ base }}
    - mode: '0755'

tree_copy_of_tree:
  file.recurse:
    - name: {{ below('tree') }}
    - source: salt://cron/files/tree
    - clean: True
    - include_empty: True
    - exclude_pat: '*.keep'
    - dir_mode: '2755'
    - file_mode: '0644'
    - require:
      - file: tree_kept
      - file: tree_base

tree_left_before:
  cmd.run:
    - name: mkdir -p {{ below('tree/more') }} && touch {{ below('tree/more/old') }} {{ below('tree/gone') }} {{ below('tree/left.keep') }}
    - creates: {{ below('tree') }}
    - require_in:
      - file: tree_copy_of_tree

tree_kept:
  file.managed:
    - name: {{ below('tree/kept') }}
    - contents: kept by a state
    - require:
      - cmd: tree_left_before

tree_link:
  file.symlink:
    - name: {{ below('deep/current') }}
    - target: {{ below('tree') }}
    - makedirs: True

tree_hosts_marked:
  file.managed:
    - name: {{ below('hosts') }}
    - contents: |
        127.0.0.1 localhost
        # START formula
        # END formula
        ::1 ip6-localhost
    - replace: False

tree_hosts:
  file.blockreplace:
    - name: {{ below('hosts') }}
    - marker_start: '# START formula'
    - marker_end: '# END formula'
    - content: |
        {%- for name, ip in salt['pillar.get']('tree:hosts') | dictsort %}
        {{ ip }} {{ name }}
        {%- endfor %}
    - show_changes: True
    - require:
      - file: tree_hosts_marked

tree_hosts_end:
  file.blockreplace:
    - name: {{ below('hosts') }}
    - marker_start: '# START appended'
    - marker_end: '# END appended'
    - content: '10.0.0.9 late'
    - append_if_not_found: True
    - backup: False
    - require:
      - file: tree_hosts

{%- for formatter, ending in (('json', 'json'), ('yaml', 'yml')) %}
tree_settings_{{ formatter }}:
  file.serialize:
    - name: {{ below('settings.' ~ ending) }}
    - dataset_pillar: tree:settings
    - formatter: {{ formatter }}
    - mode: '0640'
    - require:
      - file: tree_base
{% endfor %}

tree_settings_merged:
  file.serialize:
    - name: {{ below('merged.json') }}
    - dataset: {{ settings | json }}
    - formatter: json
    - merge_if_exists: True
    - serializer_opts:
      - indent: 4
      - sort_keys: True

tree_append:
  file.append:
    - name: {{ below('log.conf') }}
    - source: salt://cron/files/log.conf.jinja
    - template: jinja
    - makedirs: True
    - unless: test -e {{ below('log.conf') }}
    - context:
        level: info

tree_append_text:
  file.append:
    - name: {{ below('log.conf') }}
    - text: |
        module cron
        module files
    - unless: grep -q files {{ below('log.conf') }}
    - require:
      - file: tree_append

tree_comment:
  file.comment:
    - name: {{ below('log.conf') }}
    - regex: ^module cron
    - require:
      - file: tree_append_text

tree_uncomment:
  file.uncomment:
    - name: {{ below('log.conf') }}
    - regex: 'color: off'
    - require:
      - file: tree_append

tree_line:
  file.line:
    - name: {{ below('log.conf') }}
    - mode: ensure
    - after: level.*
    - content: rotate daily
    - require:
      - file: tree_uncomment
      - file: tree_comment

tree_keys:
  file.keyvalue:
    - name: {{ below('log.conf') }}
    - key_values:
        size: '10M'
        keep: '7'
    - separator: '='
    - append_if_not_found: True
    - require:
      - file: tree_line

tree_touch:
  file.touch:
    - name: {{ below('touched') }}
    - unless: test -e {{ below('touched') }}

tree_exists:
  file.exists:
    - name: {{ below('touched') }}
    - require:
      - file: tree_touch

tree_missing:
  file.missing:
    - name: {{ below('never') }}

tree_copy:
  file.copy:
    - name: {{ below('copy.conf') }}
    - source: {{ below('log.conf') }}
    - require:
      - file: tree_keys

tree_rename_from:
  file.managed:
    - name: {{ below('old-name') }}
    - contents: moved
    - creates: {{ below('new-name') }}

tree_rename:
  file.rename:
    - name: {{ below('new-name') }}
    - source: {{ below('old-name') }}
    - require:
      - file: tree_rename_from

tree_link_hard:
  file.hardlink:
    - name: {{ below('hard') }}
    - target: {{ below('touched') }}
    - require:
      - file: tree_exists

tree_tidy_before:
  cmd.run:
    - name: mkdir -p {{ below('tmp') }} && touch {{ below('tmp/a.tmp') }} {{ below('tmp/b.keep') }}
    - creates: {{ below('tmp') }}

tree_tidy:
  file.tidied:
    - name: {{ below('tmp') }}
    - matches:
      - '.*\.tmp'
    - require:
      - cmd: tree_tidy_before

tree_host_db:
  host.present:
    - ip: 10.0.0.2
    - names:
      - db
      - db.harbour.example.org

tree_variable:
  environ.setenv:
    - name: SITE
    - value: harbour
    - update_minion: True
