package modules

// lookupAccount returns an error for a user or group: commands run as the user of the minion.
func lookupAccount(runas, group any) (account, error) {
	if group != nil && group != "" {
		return account{}, InvocationErrorf("group is not currently available on Windows")
	}
	if runas != nil && runas != "" {
		return account{}, CommandErrorf("runas is not supported on Windows by this minion; run the service as %s, or use a scheduled task", PyStr(runas))
	}
	return account{}, nil
}
