// Package callargs reads the arguments of a call as people write them: each word is read as YAML,
// the way Salt's loader reads it, and name=value is a keyword argument. A word that is not YAML, or
// would lose something by it, stays text. Commands read their arguments so, and a master those that
// a minion sends as text (Salt's peer calls).
package callargs
