package sqlrows

// Clean removes old jobs, at most limit rows. older returns jids of old jobs in order, from the first behind after on.
// job removes at most limit rows of a job.
func Clean(limit int, older func(after string) ([]string, error), job func(jid string, limit int) (int, error)) (total int, err error) {
	for after := ""; total < limit; {
		jids, err := older(after)
		if err != nil || len(jids) == 0 {
			return total, err
		}
		for _, jid := range jids {
			if total >= limit {
				break
			}
			n, err := job(jid, limit-total)
			if total += n; err != nil {
				return total, err
			}
		}
		after = jids[len(jids)-1]
	}
	return total, nil
}
