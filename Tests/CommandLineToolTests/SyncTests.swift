import Foundation
import RecordStore
import StoreInspection
import Testing

struct SyncTests {
  private let tandem = Tandem()

  /// Two device directories, the first with a filled store, that were made equal once.
  private func withDevices(_ body: (Shop, _ phone: String, _ laptop: String) throws -> Void) throws {
    try Shop.with { shop throws in
      let (phone, laptop) = (shop.folder.path + "/phone", shop.folder.path + "/laptop")
      for device in [phone, laptop] {
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: true)
      }
      try shop.create(at: URL(fileURLWithPath: phone + "/group.example/shop.store"), isFilled: true)
      try body(shop, phone, laptop)
      #expect(try tandem.run("check", phone).status == 0)
      #expect(try tandem.run("check", laptop).status == 0)
    }
  }

  private func edit(_ device: String, _ id: RecordID, price: String) throws {
    let line = "{\"entity\":\"Item\",\"id\":\"\(id)\",\"fields\":{\"price\":\"\(price)\"}}\n"
    let outcome = try tandem.run("load", device, "--into", input: line)
    try #require(outcome.status == 0, "\(outcome.trouble)")
  }

  private func records(_ device: String) throws -> [Substring] {
    try tandem.run("dump", device).output.split(separator: "\n").dropFirst().sorted()
  }

  @Test func `a device without the store gets it, and a second run has nothing to do`() throws {
    try withDevices { _, phone, laptop throws in
      let first = try tandem.run("sync", phone, laptop)
      #expect(first.status == 0, "\(first)")
      #expect(first.lines.first?.hasPrefix("group.example/shop") == true)
      #expect(first.output.contains("store created, 2 transactions merged"), "\(first.output)")
      #expect(try records(phone) == records(laptop))
      let second = try tandem.run("sync", phone, laptop)
      #expect(second.output == "nothing to do: the sides are equal\n", "\(second)")
      #expect(second.status == 0)
      let json = try JSON(parsing: tandem.run("sync", laptop, phone, "--json").output)
      #expect(json["stores"] != nil)
    }
  }

  @Test func `edits of both devices meet, and what lost can be shown and restored`() throws {
    try withDevices { _, phone, laptop throws in
      try tandem.run("sync", phone, laptop)
      try edit(phone, Shop.bread, price: "4")
      try edit(laptop, Shop.bread, price: "5")
      try edit(laptop, Shop.soap, price: "6")
      let outcome = try tandem.run("sync", phone, laptop)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains("1 conflict logged, see 'tandem conflicts list'"), "\(outcome.output)")
      #expect(try records(phone) == records(laptop))
      #expect(try tandem.run("query", phone, "Item", "--where", "price = 5", "--count").output == "1\n")

      let list = try tandem.run("conflicts", "list", phone, "--json")
      #expect(list.lines.count == 1, "\(list)")
      let id = try #require(JSON(parsing: list.output)["id"]?.stringValue)
      let table = try tandem.run("conflicts", "list", phone)
      #expect(table.output.contains("price = 4"), "\(table.output)")
      let shown = try tandem.run("conflicts", "show", phone, id)
      #expect(shown.lines.suffix(3) == ["price", "  lost   4", "  won    5"], "\(shown.output)")
      for line in [
        "what     an edit lost to a later one",
        "restore  writes the lost values again, as a new edit that wins on all devices.",
      ] { #expect(shown.lines.contains(line), "\(shown.output)") }
      #expect(
        shown.lines.contains { $0.hasPrefix("lost ") && $0.contains(" by phone (this device") }, "\(shown.output)")
      #expect(shown.lines.contains { $0.hasPrefix("won ") && $0.contains(" by laptop") }, "\(shown.output)")
      for (arguments, count) in [
        (["--entity", "Item"], 1), (["--kind", "editLost"], 1), (["--kind", "aliasJoined"], 0),
        (["--since", "2001-01-01"], 1), (["--until", "2001-01-01 12:00:00"], 0),
        (["--since", "2999-01-01T00:00:00Z"], 0),
        (["--record", try #require(JSON(parsing: list.output)["record"]?.stringValue)], 1),
      ] {
        let filtered = try tandem.run(arguments: ["conflicts", "list", phone, "--json"] + arguments)
        #expect(filtered.lines.count == count, "\(arguments): \(filtered)")
      }
      let wrong = try tandem.run("conflicts", "list", phone, "--entity", "Itm")
      #expect(wrong.status == 2)
      #expect(wrong.trouble.contains("no entity \"Itm\""), "\(wrong)")
      let restored = try tandem.run("conflicts", "restore", phone, id, "--author", "ada")
      #expect(restored.status == 0, "\(restored)")
      #expect(try tandem.run("query", phone, "Item", "--where", "price = 4", "--count").output == "1\n")
      #expect(try tandem.run("conflicts", "list", phone).output == "no conflicts\n")
      try tandem.run("sync", phone, laptop)
      #expect(try tandem.run("query", laptop, "Item", "--where", "price = 4", "--count").output == "1\n")
      let unknown = try tandem.run("conflicts", "show", phone, id)
      #expect(unknown.status == 2)
      #expect(unknown.trouble.hasPrefix("tandem: there is no entry \(id)"), "\(unknown.trouble)")
    }
  }

  @Test func `two devices meet through a folder that another tool moves`() throws {
    try withDevices { shop, phone, laptop throws in
      let folder = shop.folder.path + "/stick"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      #expect(try tandem.run("sync", phone, "--folder", folder).status == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      try edit(laptop, Shop.milk, price: "9")
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      #expect(try tandem.run("sync", phone, "--folder", folder).status == 0)
      #expect(try records(phone) == records(laptop))
      // Without a key. So the tests of keys would find these words, too.
      let shown = try PlainWords.shop.places(in: folder)
      for word in PlainWords.shop.words { #expect(shown.contains { $0.hasPrefix(word) }, "\(word)") }
    }
  }

  @Test func `watch follows commits until Ctrl-C`() throws {
    try withDevices { shop, phone, laptop throws in
      let folder = shop.folder.path + "/stick"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let watching = try tandem.start("sync", phone, "--folder", folder, "--watch", "--every", "0.1")
      #expect(watching.line()?.hasPrefix("group.example/shop") == true)
      #expect(watching.line()?.contains("2 transactions exported") == true)
      try edit(phone, Shop.bread, price: "7")
      #expect(watching.line()?.hasPrefix("group.example/shop") == true)
      #expect(watching.line()?.contains("1 transaction exported") == true)
      #expect(watching.end(by: SIGINT) == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      #expect(try records(phone) == records(laptop))
    }
  }

  /// It ended with the folder, or told one damaged file every two seconds.
  @Test func `watch lives through trouble, tells it once, and sees new stores`() throws {
    try withDevices { shop, phone, laptop throws in
      let folder = shop.folder.path + "/stick"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let watching = try tandem.start("sync", phone, "--folder", folder, "--watch", "--every", "0.1", "--json")
      func next() throws -> (event: String, message: String) {
        let object = try JSON(parsing: #require(watching.line()))
        return (object["event"]?.stringValue ?? "", object["message"]?.stringValue ?? "")
      }
      #expect(try next().event == "synchronized")
      try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
      let gone = try next()
      #expect(gone.event == "trouble" && gone.message.contains("there is no device directory at \(folder)"))
      try FileManager.default.moveItem(atPath: folder + ".away", toPath: folder)
      let back = try next()
      #expect(back.event == "over" && back.message == gone.message)

      let stream = URL(fileURLWithPath: folder + "/" + (try #require(changeSets(folder).first)))
      let damaged = stream.deletingLastPathComponent().appendingPathComponent(
        "0000000000000099-0000000000000099-00000000000000000000000000000000.tcs")
      try Data("no change set".utf8).write(to: damaged)
      let refused = try next()
      #expect(refused.event == "trouble" && refused.message.contains(damaged.lastPathComponent))
      try edit(phone, Shop.bread, price: "7")
      #expect(try next().event == "synchronized", "what is known to be damaged is not told again")
      try FileManager.default.removeItem(at: damaged)
      #expect(try next().event == "over")

      try shop.create(at: URL(fileURLWithPath: phone + "/group.example/second.store"), isFilled: true)
      let found = try JSON(parsing: #require(watching.line()))
      #expect(found["event"]?.stringValue == "synchronized" && found.description.contains("second"))
      #expect(watching.end(by: SIGTERM) == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      for device in [phone, laptop] {
        try FileManager.default.removeItem(atPath: device + "/group.example/second.store")
      }
      #expect(try records(phone) == records(laptop))
    }
  }

  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func `a synchronisation that is asked to end does so at once, with the signal's code`(
    signal: Int32, status: Int32
  ) throws {
    try withDevices { _, phone, laptop throws in
      let lock = open(laptop, O_RDONLY | O_DIRECTORY)
      try #require(flock(lock, LOCK_EX) == 0)
      let waiting = try tandem.start("sync", phone, laptop, "--timeout", "600")
      // It waits for the lock, and so has taken over the signals.
      while try !waiting.hasOpened(laptop) { sched_yield() }
      #expect(waiting.end(by: signal) == status)
      close(lock)
      #expect(try tandem.run("sync", phone, laptop).status == 0, "the next one goes on")
    }
  }

  @Test func `a damaged exchange file is named and refused, the rest proceeds`() throws {
    try withDevices { shop, phone, laptop throws in
      let folder = shop.folder.path + "/stick"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try tandem.run("sync", phone, "--folder", folder)
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".tcs") }
      let file = URL(fileURLWithPath: folder + "/" + (try #require(names.first)))
      let intact = try Data(contentsOf: file)
      var broken = intact
      broken[broken.count / 2] ^= 1
      try broken.write(to: file)
      let outcome = try tandem.run("sync", laptop, "--folder", folder)
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.trouble.split(separator: file.lastPathComponent).count == 2, "named once: \(outcome.trouble)")
      #expect(outcome.trouble.contains("it is taken when a whole copy has arrived"), "\(outcome.trouble)")
      try intact.write(to: file)
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      #expect(try records(phone) == records(laptop))
    }
  }

  /// "Nothing to do: the sides are equal", and exit code 0, although a head knew more.
  @Test func `what another device is known to have and no file has is named, and the sides are not equal`() throws {
    try withDevices { shop, phone, laptop throws in
      let folder = shop.folder.path + "/stick"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for device in [phone, laptop] { try tandem.run("sync", device, "--folder", folder) }
      try edit(phone, Shop.bread, price: "7")
      let known = try Set(changeSets(folder))
      try tandem.run("sync", phone, "--folder", folder)
      let file = URL(fileURLWithPath: folder + "/" + (try #require(changeSets(folder).first { !known.contains($0) })))
      let bytes = try Data(contentsOf: file)
      try FileManager.default.removeItem(at: file)
      try tandem.run("sync", laptop, "--folder", folder)
      let outcome = try tandem.run("sync", laptop, "--folder", folder)
      #expect(outcome.status == 1, "\(outcome)")
      #expect(!outcome.output.contains("equal"), "\(outcome)")
      #expect(outcome.trouble.contains("transaction 3 of replica"), "\(outcome)")
      #expect(outcome.trouble.contains("(phone) has said that it knows"), "\(outcome)")
      try bytes.write(to: file)
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      let last = try tandem.run("sync", laptop, "--folder", folder)
      #expect(last.output == "nothing to do: the sides are equal\n", "\(last)")
      #expect(try records(phone) == records(laptop))
    }
  }

  private func changeSets(_ folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".tcs") }
  }

  @Test func `a store that is excepted is left alone, and a pattern of another form is refused`() throws {
    try withDevices { _, phone, laptop throws in
      let first = try tandem.run("sync", phone, laptop, "--except", "*/sh*")
      #expect(first.status == 2 && first.trouble.contains("besides those that --except leaves alone"), "\(first)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: laptop) == [])
      let plan = try tandem.run("sync", phone, laptop, "--except", "group.other/*", "--dry-run")
      #expect(plan.status == 0 && plan.output.contains("group.example/shop"), "\(plan)")
      let wrong = try tandem.run("sync", phone, laptop, "--except", "shop")
      #expect(wrong.status == 2 && wrong.trouble.contains("--except 'shop' is not of the form"), "\(wrong)")
      let lonely = try tandem.run("sync", phone, laptop, "--minimum-interval", "9")
      #expect(lonely.status == 2 && lonely.trouble.contains("--minimum-interval needs --watch"), "\(lonely)")
      let once = try tandem.run("sync", phone, laptop, "--every", "1")
      #expect(once.status == 2 && once.trouble.contains("--every needs --watch"), "\(once)")
      try tandem.run("sync", phone, laptop)
    }
  }

  @Test(arguments: [false, true]) func `every user may read a shared folder, and nobody else a device's own copy`(
    isShared: Bool
  ) throws {
    try withDevices { shop, phone, laptop throws in
      let folder = shop.folder.path + "/stick"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let option = isShared ? ["--shared-folder"] : []
      for device in [phone, laptop] {
        #expect(try tandem.run(arguments: ["sync", device, "--folder", folder] + option).status == 0)
      }
      let copies = [phone, laptop].map { $0 + "/group.example/shop.exchange" }
      for (place, isOpen) in [(folder, isShared)] + copies.map({ ($0, false) }) {
        for file in try changeSets(place) {
          let mode = try FileManager.default.attributesOfItem(atPath: place + "/" + file)[.posixPermissions] as? Int
          #expect(mode == (isOpen ? 0o644 : 0o600))
        }
      }
    }
  }

  @Test func `the name of a file that others have put into a folder does not steer the terminal`() throws {
    try withDevices { shop, phone, laptop throws in
      #expect(try tandem.run("sync", phone, laptop).status == 0)
      let folder = shop.folder.appending(path: "exchange")
      #expect(try tandem.run("sync", phone, "--folder", folder.path, "--create").status == 0)
      let files = try #require(FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String })
      let streams = try #require(files.first { $0.hasSuffix("/s") })
      let name = "\u{1B}[2Jred\nnot a line.tcs"
      try Data("no change set".utf8).write(to: folder.appending(path: streams).appending(path: name))
      let outcome = try tandem.run("sync", phone, "--folder", folder.path)
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.trouble.contains("\\u{1b}[2Jred\\nnot a line.tcs is not a change set"), "\(outcome)")
      #expect(outcome.trouble.count { $0 == "\n" } == 1 && !outcome.trouble.contains("\u{1B}"), "\(outcome)")
    }
  }
}
