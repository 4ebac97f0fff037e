package config

// Refusal is a value of an option of Salt's with which a daemon does not start, and why.
type Refusal struct {
	File   Role
	Option string
	Value  string // as in a file; an example where the reason holds for others as well
	Why    string
}

// Refusals are the values that Salt's defaults, sample files or documentation show and that are
// refused here: what they ask for is not there, and a start without it would do something else
// than the operator wants.
var Refusals = []Refusal{
	{Masters, "ext_job_cache", "redis", "returns would be kept elsewhere than their readers look; there are local_cache and mysql"},
	{Masters, "master_job_cache", "redis", "jobs would be kept elsewhere than their readers look; there are local_cache and mysql"},
	{Masters, "key_pass", "sdb://masterkeyring/key_pass", "there are no sdb drivers, and the text is not the password"},
	{Masters, "signing_key_pass", "sdb://masterkeyring/signing_pass", "there are no sdb drivers, and the text is not the password"},
	{Both, "transport", "tcp", "peers would not understand each other; zeromq alone is spoken"},
	{Minions, "master_type", "func", "a Python function would have to say who the master is"},
	{Minions, "append_minionid_config_dirs", "true", "it wants names of options; Salt does not start either"},
}
