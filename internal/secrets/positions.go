package secrets

import "slices"

// positions are the indexes of passwords in the arguments of functions.
var positions = map[string][]int{
	"shadow.set_password": {1}, "shadow.gen_password": {0}, "user.setpassword": {1}, "user.chpasswd": {1}, "group.setpassword": {1},
	"mysql.user_create": {2, 3}, "mysql.user_chpass": {2, 3}, "mysql.user_exists": {2, 3},
	"postgres.psql_query": {5}, "mongodb.user_create": {1}, "influxdb.user_create": {1}, "influxdb.user_chpass": {1},
	"rabbitmq.add_user": {1}, "rabbitmq.change_password": {1}, "rabbitmq.check_password": {1},
	"htpasswd.useradd": {2}, "htpasswd.verify": {2}, "webutil.useradd": {2}, "webutil.verify": {2},
	"pdbedit.create": {1}, "pdbedit.generate_nt_hash": {0}, "drac.change_password": {1}, "dracr.change_password": {1}, "ipmi.set_user_password": {2},
	"random.shadow_hash": {1}, "keychain.unlock_keychain": {1}, "mac_keychain.unlock_keychain": {1},
	"win_useradd.setpassword": {1}, "cryptdev.open": {2}, "nspawn.set_pass": {1},
}

// at reports whether an argument of a function is a secret by its position.
func at(fun string, i int) bool { return slices.Contains(positions[fun], i) }
