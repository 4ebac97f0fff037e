package jinja

import (
	"math/rand/v2"
	"strings"
)

//nolint:misspell // Latin
var lorem = strings.Fields(`a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at auctor augue bibendum
blandit class commodo condimentum congue consectetuer consequat conubia convallis cras cubilia cum curabitur curae cursus
dapibus diam dictum dictumst dignissim dis dolor donec dui duis egestas eget eleifend elementum elit enim erat eros est et
etiam eu euismod facilisi facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac
hendrerit hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus laoreet lectus leo libero
ligula litora lobortis lorem luctus maecenas magna magnis malesuada massa mattis mauris metus mi molestie mollis montes morbi
mus nam nascetur natoque nec neque netus nibh nisi nisl non nonummy nostra nulla nullam nunc odio orci ornare parturient
pede pellentesque penatibus per pharetra phasellus placerat platea porta porttitor posuere potenti praesent pretium primis
proin pulvinar purus quam quis quisque rhoncus ridiculus risus rutrum sagittis sapien scelerisque sed sem semper senectus sit
sociis sociosqu sodales sollicitudin suscipit suspendisse taciti tellus tempor tempus tincidunt torquent tortor tristique
turpis ullamcorper ultrices ultricies urna ut varius vehicula vel velit venenatis vestibulum vitae vivamus viverra volutpat
vulputate`)

func init() {
	builtinGlobals["lipsum"] = function("generate_lorem_ipsum", lipsum)
}

// lipsum returns n paragraphs of min to max random words.
func lipsum(r *Run, a *Args) any {
	b := a.Bind("generate_lorem_ipsum", 0, "n html min max")
	n, html, least, most := b.Int(0, 5), b.Bool(1, true), b.Int(2, 20), b.Int(3, 100)
	if most <= least {
		throw("empty range for randrange() (%d, %d, %d)", least, most, most-least)
	}
	if n > 1 && most > r.limits.Output/n || most > r.limits.Output {
		throwKind(KindLimit, "lipsum of %d paragraphs of %d words is too long", n, most)
	}
	var parts []string
	for range n {
		words := least + rand.IntN(most-least)
		r.text(16 * words)
		p := paragraph(words)
		if html {
			p = "<p>" + escape(r, p) + "</p>"
		}
		parts = append(parts, p)
	}
	sep := "\n\n"
	if html {
		sep = "\n"
	}
	r.Work(len(parts))
	return strings.Join(parts, sep)
}

// paragraph returns sentences of random words, with a final full stop.
func paragraph(words int) string {
	var out []string
	capital, last, comma, stop := true, "", 0, 0
	for i := range words {
		w := lorem[rand.IntN(len(lorem))]
		for w == last {
			w = lorem[rand.IntN(len(lorem))]
		}
		last = w
		if capital {
			w, capital = strings.ToUpper(w[:1])+w[1:], false
		}
		if i-(3+rand.IntN(5)) > comma {
			comma, stop = i, stop+2
			w += ","
		}
		if i-(10+rand.IntN(10)) > stop {
			comma, stop, capital = i, i, true
			w = strings.TrimSuffix(w, ",") + "."
		}
		out = append(out, w)
	}
	text := strings.TrimSuffix(strings.Join(out, " "), ",")
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
