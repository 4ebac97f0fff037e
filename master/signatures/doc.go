// Package signatures signs jobs and verifies the signatures of returns. With sign_jobs the top signs
// each job, and nodes forward the signature unchanged. Minions sign returns with
// minion_sign_messages; a master may require that.
package signatures
