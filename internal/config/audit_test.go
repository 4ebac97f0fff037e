package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config/usage"
)

// servedHere are the options that no other package reads, with the reason.
var servedHere = map[string]string{
	"append_domain":               "it completes id",
	"append_minionid_config_dirs": "it completes paths",
	"archive_jobs":                "the returner mysql reads it by its name",
	"auth_mode":                   "it has one value",
	"cache":                       "it has one value",
	"default_include":             "it names files to read",
	"file_roots":                  "Roots gives it to the file server",
	"fips_mode":                   "true is refused",
	"keep_jobs":                   "it is keep_jobs_seconds in hours",
	"minion_id_caching":           "it says how id is found",
	"minion_id_lowercase":         "it says how id is found",
	"minion_id_remove_domain":     "it says how id is found",
	"pillar_roots":                "PillarFolders reads it",
	"pillar_version":              "it has one value",
	"root_dir":                    "it is put before paths",
	"syndic_finger":               "it is a syndic's master_finger",
	"syndic_log_file":             "it is a syndic's log_file",
	"syndic_master":               "it is a syndic's master",
	"syndic_master_port":          "it is a syndic's master_port",
	"syndic_master_publish_port":  "it is a syndic's publish_port",
	"syndic_pidfile":              "it is a syndic's pidfile",
	"syndic_user":                 "it is a syndic's user",
	"transport":                   "it has one value",
}

// No option is silently ignored: each is read by the program, or is one of the few above, or is
// in NotYet, so that a warning names it.
func TestNoOptionIsAcceptedAndIgnored(t *testing.T) {
	read, err := usage.Scan(".", reflect.TypeFor[Master]().PkgPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []struct {
		who  Role
		typ  reflect.Type
		opts map[string]option
	}{{Masters, reflect.TypeFor[Master](), masterTable()}, {Minions, reflect.TypeFor[Minion](), minionTable()}} {
		for _, name := range slices.Sorted(maps.Keys(role.opts)) {
			field := fieldName(role.typ, role.opts[name].index)
			_, last, _ := strings.Cut(field, ".")
			readers := slices.Concat(read.Fields[role.typ.Name()+"."+last], read.Fields[field])
			// Modules on the minion read options by name, and so do the commands, which treat
			// both files alike.
			if role.who == Minions {
				readers = append(readers, read.Names[name]...)
			}
			for _, reader := range read.Names[name] {
				if role.who == Masters && strings.HasPrefix(reader, "mom/") {
					readers = append(readers, reader)
				}
			}
			switch excused, missing := servedHere[name], NotYet[name]&role.who != 0; {
			case len(readers) == 0 && excused == "" && !missing:
				t.Errorf("no code reads the %s option %s (%s): serve it, or add it to NotYet", role.who, name, field)
			case len(readers) > 0 && missing:
				t.Errorf("the %s option %s is read by %s: delete its line in NotYet", role.who, name, strings.Join(readers, ", "))
			case excused != "" && missing:
				t.Errorf("the %s option %s is served and is not: %s", role.who, name, excused)
			}
		}
	}
	for name := range servedHere {
		if !isTyped(name) {
			t.Errorf("%s is excused but is no option", name)
		}
	}
}

func isTyped(name string) bool {
	_, m := masterTable()[name]
	_, n := minionTable()[name]
	return m || n
}

// fieldName returns "Struct.Field" for the struct that declares a field.
func fieldName(t reflect.Type, index []int) string {
	owner := t
	for _, i := range index[:len(index)-1] {
		owner = owner.Field(i).Type
	}
	return owner.Name() + "." + owner.Field(index[len(index)-1]).Name
}
