// Package callargs reads the arguments of a call as people write them: each word is read as
// YAML, and name=value is a keyword argument. Commands read theirs so, and a master those
// that a minion has its user's words for (Salt's peer calls).
package callargs
