// Package copies keeps files that came from elsewhere, by their hash, in a folder of a
// bounded size. A file is fetched once, whoever asks for it and however many at once;
// what does not have the hash that it should have is thrown away. When there is no room,
// those go that were not asked for the longest time.
package copies
