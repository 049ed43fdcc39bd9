import Foundation
import StoreInspection
import TestSupport
import Testing

/// The page of `tandem serve` in a real browser, where Chromium is installed.
@Suite(.timeLimit(.minutes(5))) struct PageInBrowserTests {
  private static let hasChromium = FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

  @Test(.enabled(if: hasChromium, "Chromium shows the page; Debian's package is 'chromium'"))
  func `values of records are texts that steer nothing`() throws {
    try Shop.with(isFilled: false) { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      for title in ["<script>document.title = 'taken'</script>", "<b>bold</b>", "\u{202E}txt.exe", "two\nlines"] {
        let fields: JSON = [
          "title": .string(title), "done": .string("false"), "weight": .string("1"), "size": .string("1"),
        ]
        _ = try page.ask("insert", ["store": .string(shop.path), "entity": .string("Item"), "fields": fields])
      }
      var browser = Tandem()
      browser.environment = ["ADDRESS": page.address, "PROFILE": shop.folder.path + "/browser"]
      let outcome = try browser.shell(
        #"""
        exec timeout -s KILL 100 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$PROFILE" \
          --virtual-time-budget=8000 --dump-dom "$ADDRESS" 2>/dev/null
        """#)
      #expect(outcome.output.contains("<title>Tandem</title>"), "\(outcome)")
      for text in ["&lt;script&gt;document.title", "&lt;b&gt;bold&lt;/b&gt;", #"\u{202e}txt.exe"#, #"two\nlines"#] {
        #expect(outcome.output.contains(">\(text)"), "\(text) is not shown: \(outcome.output.suffix(4_000))")
      }
      #expect(!outcome.output.contains("<b>bold"))
    }
  }
}
