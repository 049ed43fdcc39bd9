import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

/// The page of `tandem serve` in a real browser, where Chromium is installed.
///
/// With `TANDEM_PAGE_PICTURES` pictures of the page are written to that folder, to be looked at.
@Suite(
  .timeLimit(.minutes(TestLength.minutesUntilHung)),
  .enabled(if: Browser.isInstalled, "Chromium shows the page; Debian's package is 'chromium'"), .serialized)
struct PageInBrowserTests {
  private static func browser(
    _ folder: URL, at address: String, width: Int = 1_200, height: Int = 800, isDark: Bool = false
  ) throws -> Browser {
    let browser = try Browser(
      profile: folder.path + "/browser-\(UUID().uuidString)", width: width, height: height, isDark: isDark)
    try browser.open(address)
    try browser.wait(until: "document.getElementById('live').textContent === 'live'")
    return browser
  }

  private static func keep(_ picture: Data, _ name: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["TANDEM_PAGE_PICTURES"] else { return }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try picture.write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
  }

  /// Changes the amount of a record again and again, each time in a process of its own, until a file is there.
  private static func writer(_ shop: Shop, of id: RecordID) throws -> (process: RunningTandem, stop: String) {
    let stop = shop.folder.path + "/stop"
    var tandem = Tandem()
    tandem.environment = ["STORE": shop.path, "ID": id.description, "STOP": stop]
    let process = try tandem.startShell(
      #"""
      until [ -e "$STOP" ]; do
        i=$((i + 1))
        "$TANDEM" edit "$STORE" "$ID" amount=$((1000 + i)) >/dev/null || exit
      done
      """#)
    return (process, stop)
  }

  private static let hostile = [
    "<script>document.title = 'taken'</script>", "<b>bold</b>", "\u{202E}txt.exe", "two\nlines",
    String(repeating: "long ", count: 400), "שלום עולם",
  ]

  private static func enterHostileValues(_ page: LivePageRun, _ shop: Shop) throws {
    for title in hostile {
      let fields: JSON = [
        "title": .string(title), "done": .string("false"), "weight": .string("1"), "size": .string("1"),
      ]
      _ = try page.ask("insert", ["store": .string(shop.path), "entity": .string("Item"), "fields": fields])
    }
  }

  @Test func `values of records are texts that steer nothing`() throws {
    try Shop.with(isFilled: false) { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      try Self.enterHostileValues(page, shop)
      let browser = try Self.browser(shop.folder, at: page.address)
      try browser.wait(until: "document.querySelectorAll('tbody tr').length === \(Self.hostile.count)")
      let shown = try browser.text(of: "document.querySelector('tbody').innerText")
      for text in [Self.hostile[0], Self.hostile[1], #"\u{202e}txt.exe"#, #"two\nlines"#, Self.hostile[5]] {
        #expect(shown.contains(text), "\(text) is not shown: \(shown)")
      }
      #expect(try browser.text(of: "document.title") == "Tandem")
      #expect(try browser.text(of: "document.querySelectorAll('main b, main script').length") == "0")
      #expect(try browser.text(of: "location.href").contains(page.token) == false, "the token stays in the address")
    }
  }

  @Test(arguments: [(1_200, false), (360, true)])
  func `while another process saves, the page follows, keeps the focus, and saves a field beside it`(
    width: Int, isDark: Bool
  ) throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      try Self.enterHostileValues(page, shop)
      let (writer, stop) = try Self.writer(shop, of: Shop.soap)
      let browser = try Self.browser(shop.folder, at: page.address, width: width, height: 700, isDark: isDark)
      let row = "document.querySelector('tbody [data-key=\"\(Shop.soap)\"]')"
      try browser.wait(until: row)
      try browser.value(of: "\(row).focus()")
      for _ in 1...3 {
        let before = try browser.value(of: "\(row).innerText")
        try browser.wait(until: "\(row).innerText !== \(before)")
        #expect(try browser.value(of: "document.activeElement === \(row)") == .bool(true), "the focus went")
      }
      if width > 760 { try keepFocus(browser, whileChanging: row) }
      try Self.keep(browser.picture(), "records-\(width)")
      try changeTitle(browser, to: "Soap of olives")
      try Self.keep(browser.picture(), "record-\(width)")
      for (key, name) in ["schema", "history", "conflicts", "devices", "integrity", "keys"].enumerated() {
        try browser.press("\(key + 2)")
        try browser.wait(until: "document.querySelector('main .view h2')")
        try browser.wait(until: "document.querySelector('nav [aria-current=page]').title.endsWith('(\(key + 2))')")
        #expect(
          try browser.value(of: "document.documentElement.scrollWidth <= innerWidth") == .bool(true),
          "\(name) is wider than the window")
        try Self.keep(browser.picture(), "\(name)-\(width)")
      }
      #expect(writer.isRunning, "the writer ended early")
      try Data().write(to: URL(fileURLWithPath: stop))
      #expect(writer.waitForEnd() == 0)
      let saved = try Tandem().run("query", shop.path, "Item", "--where", "title = 'Soap of olives'", "--json")
      #expect(try JSON(parsing: saved.output)["amount"]?.integerValue(as: Int.self) ?? 0 > 1_000, "\(saved)")
    }
  }

  /// Wherever the focus is, a commit of another process leaves it there.
  private func keepFocus(_ browser: Browser, whileChanging row: String) throws {
    let places = [
      "#tabs button:nth-child(3)", ".entities button:nth-child(2)", "[data-key=\"sort title\"]", "[data-key=filter]",
      "#store", "[data-key=new]",
    ]
    for place in places {
      let focused = "document.querySelector('\(place)')"
      try browser.value(of: "\(focused).focus()")
      let before = try browser.value(of: "\(row).innerText")
      try browser.wait(until: "\(row).innerText !== \(before)")
      #expect(try browser.value(of: "document.activeElement === \(focused)") == .bool(true), "\(place) lost the focus")
    }
    try browser.value(of: "\(row).focus()")
  }

  /// In the open page, by the keyboard, while the record is written to by another process.
  private func changeTitle(_ browser: Browser, to title: String) throws {
    try browser.press("Enter")
    try browser.wait(until: "document.querySelector('.detail [data-key=edit]')")
    try browser.press("e")
    try browser.wait(until: "document.querySelector('.detail form')")
    try browser.wait(until: "document.querySelector('.detail [role=status]').textContent.includes('amount is now')")
    try browser.value(of: "document.activeElement.select()")
    try browser.type(title)
    try browser.tab(until: "document.activeElement.textContent === 'Save'")
    try browser.press("Enter")
    try browser.wait(until: "document.querySelector('.detail h2')?.textContent === '\(title)'")
  }

  @Test func `everything is reached by Tab, and what has the focus shows it`() throws {
    try Shop.with { shop throws in
      let page = try LivePageRun(shop.path, "--read-write")
      let browser = try Self.browser(shop.folder, at: page.address)
      try browser.wait(until: "document.querySelector('tbody tr')")
      try reachEverything(browser, "Records")
      for (place, heading) in ["Schema", "History", "Conflicts", "Devices", "Integrity", "Keys and values"].enumerated()
      {
        try browser.value(of: "document.activeElement.blur()")
        try browser.press("\(place + 2)")
        try browser.wait(until: "document.querySelector('main h2')?.textContent === '\(heading)'")
        try reachEverything(browser, heading)
      }
    }
  }

  /// Goes round by Tab. Of the rows of a table one is a stop, and arrows lead to the others. Controls are known by what
  /// they are called, since a view may be drawn anew meanwhile.
  private func reachEverything(_ browser: Browser, _ view: String) throws {
    let all = """
      window.called = (control) =>
        control.tagName + ' ' + (control.dataset.key || control.id || control.title || control.textContent);
      window.all = [...document.querySelectorAll('a, button, input, select, textarea, summary, tbody tr[tabindex="0"]')]
        .filter((control) => !control.disabled && control.checkVisibility()).map(called);
      window.met = new Set();
      all.length
      """
    let count = try #require(try browser.value(of: all).integerValue(as: Int.self))
    #expect(count > 8, "\(view)")
    for _ in 0..<(count + 4) {
      try browser.press("Tab")
      let focus = try browser.text(of: Self.focus)
      #expect(["seen", "body"].contains(focus), "\(view) does not show the focus of \(focus)")
    }
    let missed = try browser.text(of: "all.filter((name) => !met.has(name)).join(', ')")
    #expect(missed.isEmpty, "\(view): Tab does not reach \(missed)")
  }

  /// Whether what has the focus is in the window, with a line around it.
  private static let focus = """
    (() => {
      const focused = document.activeElement;
      if (focused === document.body) return 'body';
      met.add(called(focused));
      const style = getComputedStyle(focused);
      const place = focused.getBoundingClientRect();
      const isSeen = place.bottom > 0 && place.right > 0 && place.top < innerHeight && place.left < innerWidth;
      return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 && isSeen ? 'seen' : called(focused);
    })()
    """

  @Test func `what lost in a conflict is restored from the page by the keyboard`() throws {
    try Conflict.with { conflict throws in
      let page = try LivePageRun(conflict.phone, conflict.laptop, "--read-write")
      let browser = try Self.browser(conflict.folder, at: page.address)
      try browser.press("4")
      try browser.wait(until: "document.querySelector('article .sides')")
      let card = try browser.text(of: "document.querySelector('article').innerText")
      #expect(card.contains("Lost") && card.contains("Won"), "\(card)")
      #expect(card.contains("light") && card.contains("dark"), "\(card)")
      try Self.keep(browser.picture(), "conflict")
      try browser.tab(until: "document.activeElement.textContent === 'Restore'")
      try browser.press("Enter")
      try browser.wait(until: "document.querySelector('main').innerText.includes('Nothing was lost')")
      #expect(try Tandem().run("get", "theme", "--device", conflict.phone).output == "light\n")
    }
  }

  @Test func `keys are put and removed from the page by the keyboard`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let tandem = Tandem()
    try tandem.run("put", "theme", "dark", "--device", folder.path)
    let page = try LivePageRun(folder.path, "--read-write")
    let browser = try Self.browser(folder, at: page.address)
    try browser.press("7")
    try browser.wait(until: "document.querySelector('[data-key=new]')")
    try browser.press("a")
    try browser.wait(until: "document.activeElement.name === 'key'")
    try Self.keep(browser.picture(), "new-key")
    for (control, text) in [("key", "size"), ("value", "12"), ("expires", "7d")] {
      if control != "key" { try browser.tab(until: "document.activeElement.name === '\(control)'") }
      try browser.type(text)
    }
    try browser.press("Enter")
    try browser.wait(until: "document.querySelector('main').innerText.includes('size')")
    #expect(try tandem.run("get", "size", "--device", folder.path).output == "12\n")
    try browser.tab(until: "document.activeElement.getAttribute('aria-label') === 'Edit theme'")
    try browser.press("Enter")
    try browser.wait(until: "document.activeElement.name === 'value' && document.activeElement.value === 'dark'")
    // Another process comes first: the page refuses by a sentence, and writes nothing.
    try tandem.run("put", "theme", "grey", "--device", folder.path)
    try browser.value(of: "document.activeElement.select()")
    try browser.type("light")
    try browser.tab(until: "document.activeElement.textContent === 'Save'")
    try browser.press("Enter")
    try browser.wait(until: "document.querySelector('dialog [role=alert]').textContent.includes('another value')")
    #expect(try tandem.run("get", "theme", "--device", folder.path).output == "grey\n")
    try browser.press("Escape")
    try browser.tab(until: "document.activeElement.getAttribute('aria-label') === 'Remove… theme'")
    try browser.press("Enter")
    try browser.wait(until: "document.querySelector('dialog').open")
    try browser.tab(until: "document.activeElement.textContent === 'Remove'")
    try browser.press("Enter")
    try browser.wait(until: "!document.querySelector('main').innerText.includes('theme')")
    #expect(try tandem.run("get", "theme", "--device", folder.path).status == 1)
  }
}
