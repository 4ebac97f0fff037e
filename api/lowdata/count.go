package lowdata

import "bytes"

// countJSON counts the values of a document and their depth. In a text that is not JSON it counts at
// least as many as a decoder reads before it stops.
func countJSON(b []byte) (values, depth int) {
	at, inside := 0, 0
	for at < len(b) {
		switch c := b[at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		case '{', '[':
			values, inside, at = values+1, inside+1, at+1
			depth = max(depth, inside)
		case '}', ']':
			inside, at = inside-1, at+1
		case '"':
			values++
			for at++; at < len(b) && b[at] != '"'; at++ {
				if b[at] == '\\' {
					at++
				}
			}
			at++
		default:
			values++
			for at < len(b) && bytes.IndexByte(endOfWord, b[at]) < 0 {
				at++
			}
		}
	}
	return values, depth
}

var endOfWord = []byte(" \t\r\n,:{}[]\"")

// countYAML counts the nodes that a document can have. Each takes a line, a bracket, a comma, a dash,
// a colon or a question mark. Such characters in texts count too, so the count may be too high but
// not too low.
func countYAML(b []byte) int {
	n := 1
	for i, c := range b {
		switch c {
		case '\n', '\r', '[', '{', ',', '&', '*', '!':
			n++
		case '-':
			if ends(b, i) {
				n++
			}
		case ':', '?': // a map, a key and a value
			n += 3
		case 0xc2, 0xe2: // begins the line ends of Unicode
			n++
		}
	}
	return n
}

// ends reports whether b[i] is the last byte of a word.
func ends(b []byte, i int) bool {
	return i+1 >= len(b) || b[i+1] == ' ' || b[i+1] == '\t' || b[i+1] == '\n' || b[i+1] == '\r'
}
