package page

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
)

var screenshots = flag.String("screenshots", "", "folder to write the pictures of docs/guide/page.md into")

// maxPicture bounds a picture, in bytes.
const maxPicture = 150 << 10

// picture draws what the window shows.
func (b *tab) picture(name string) {
	b.t.Helper()
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	drawn := few(img)
	b.must(e.Encode(&out, drawn))
	if out.Len() > maxPicture {
		b.t.Errorf("%s has %d bytes, more than %d", name, out.Len(), maxPicture)
	}
	if n := len(drawn.Palette); n < 20 {
		b.t.Errorf("%s shows nothing: it has %d colours", name, n)
	}
	if *screenshots != "" {
		b.must(os.WriteFile(filepath.Join(*screenshots, name+".png"), out.Bytes(), 0o644))
	}
}

// few gives a picture the 256 colours that it has most of: a third of the bytes, and nobody
// sees it.
func few(img image.Image) *image.Paletted {
	in := image.NewRGBA(img.Bounds())
	draw.Draw(in, in.Rect, img, in.Rect.Min, draw.Src)
	pixels := make([]uint32, len(in.Pix)/4)
	counts := map[uint32]int{}
	for i := range pixels {
		pixels[i] = binary.BigEndian.Uint32(in.Pix[4*i:])
	}
	for from := 0; from < len(pixels); { // mostly the same many times
		to := from + 1
		for to < len(pixels) && pixels[to] == pixels[from] {
			to++
		}
		counts[pixels[from]] += to - from
		from = to
	}
	of := func(p uint32) color.RGBA { return color.RGBA{uint8(p >> 24), uint8(p >> 16), uint8(p >> 8), uint8(p)} }
	most := slices.SortedFunc(maps.Keys(counts), func(a, b uint32) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	var palette color.Palette
	for _, p := range most[:min(256, len(most))] {
		palette = append(palette, of(p))
	}
	nearest := make(map[uint32]uint8, len(most))
	for _, p := range most {
		nearest[p] = uint8(palette.Index(of(p)))
	}
	out := image.NewPaletted(in.Rect, palette)
	last, index := ^pixels[0], uint8(0)
	for i, p := range pixels {
		if p != last {
			last, index = p, nearest[p]
		}
		out.Pix[i] = index
	}
	return out
}

// company is a tree in which not all is well.
func company() topology.Node {
	since := time.Now().Add(-26 * time.Hour)
	minions := func(prefix string, n int, down ...int) (out []topology.Minion) {
		for i := range n {
			m := topology.Minion{ID: fmt.Sprintf("%s-%03d", prefix, i+1), State: topology.Up, Version: "1.0"}
			if slices.Contains(down, i) {
				m.State = topology.Down
			}
			out = append(out, m)
		}
		return out
	}
	node := func(id string, minions []topology.Minion, nodes ...topology.Node) topology.Node {
		return topology.Node{
			ID: id, Role: "syndic", Version: "1.0", State: topology.Up, Since: since, Life: id, Minions: minions, Nodes: nodes,
			Vitals: topology.Vitals{Addr: "10.1.0.7:4506", Started: since, Accepted: len(minions), Connected: len(minions), Lag: 14 * time.Millisecond, Load: 0.31, Memory: 84 << 20},
		}
	}
	top := node("top", minions("admin", 2), node("berlin", nil, node("berlin-rack1", minions("web", 420, 17, 233)), node("berlin-rack2", minions("db", 96))),
		node("lyon", minions("edge", 12), node("lyon-rack1", minions("lab", 310)), node("lyon-rack2", minions("mail", 48)), node("lyon-rack3", minions("store", 205))),
		node("osaka", nil, node("osaka-rack1", minions("cdn", 640)), node("osaka-rack2", minions("dns", 9))))
	top.Role = "master"
	lyon3 := &top.Nodes[1].Nodes[2]
	lyon3.State, lyon3.Since = topology.Down, time.Now().Add(-12*time.Minute)
	slow := &top.Nodes[2].Nodes[0]
	slow.Vitals.Pending, slow.Vitals.PendingAge = 1840, 75*time.Second
	return top
}

// The pictures of docs/guide/page.md can be drawn, and are small; with -screenshots they are kept.
func TestScreenshots(t *testing.T) {
	url, stop, err := serve(play(company()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	b := open(t, url)
	b.scheme("light")
	b.logIn("alice", "wonder")
	b.text("1 node not up")
	b.press("treeitem", "berlin-rack1:")
	b.text("web-018")
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.picture("tree-" + scheme)
	}
	b.scheme("light")
	b.size(390, 844)
	eval[bool](b, `(scrollTo(0, 0), true)`)
	b.picture("tree-phone")

	w, b := enter(t, "#/run?tgt=*&fun=test.ping")
	b.scheme("light")
	b.press("button", "Preview")
	b.text("6 minions match")
	b.picture("run")
	mend := w.kill(t, "db-02")
	b.press("button", "Run")
	b.true(`document.querySelector('[aria-label="Account"]')?.dataset.complete === "true"`)
	b.text("Returns (5)")
	b.picture("job")
	b.size(390, 844)
	b.picture("job-phone")
	b.size(1280, 800)
	b.scheme("dark")
	b.picture("job-dark")
	b.scheme("light")
	b.press("link", "Events")
	b.text("Live")
	mend()
	if _, err := w.client.Publish(t.Context(), client.Job{Tgt: "*", Fun: []string{"test.version"}}); err != nil {
		t.Fatal(err)
	}
	b.true(`[...document.querySelectorAll("[data-tag]")].filter((e) => /^salt.job.\d+.ret/.test(e.dataset.tag)).length >= 6`)
	b.picture("events")
	w.newcomer(t, "new-02")
	b.press("link", "Keys")
	b.find("button", "Accept new-02")
	b.picture("keys")
	if _, err := w.client.Wheel(t.Context(), "key.delete", map[string]any{"match": "new-02"}); err != nil {
		t.Error(err)
	}
}
