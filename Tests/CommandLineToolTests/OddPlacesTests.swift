import Foundation
import Testing

/// Places that are no plain new file: links, long names, names that are no text, files that are there.
struct OddPlacesTests {
  private let tandem = Tandem()

  private func link(_ shop: Shop, to target: String) throws -> String {
    let path = shop.folder.appendingPathComponent("link").path
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    return path
  }

  /// A link whose target was missing counted as a place where nothing is, and was replaced.
  @Test(arguments: [
    ["export", "STORE"], ["export", "STORE", "--json-lines"], ["export", "STORE", "--csv"], ["dump", "STORE", "-o"],
  ])
  func `a link that leads nowhere is something that is there`(command: [String]) throws {
    try Shop.with { shop throws in
      let link = try link(shop, to: "nowhere")
      let outcome = try tandem.run(arguments: command.map { $0 == "STORE" ? shop.path : $0 } + [link])
      #expect(outcome.status == 2 && outcome.trouble.contains("\(link) is there already: "), "\(outcome)")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "nowhere")
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted() == ["link", "shop.store"])
    }
  }

  @Test func `a new store does not take the place of a link that leads nowhere, before it is made`() throws {
    try Shop.with { shop throws in
      let link = try link(shop, to: "nowhere")
      let outcome = try tandem.run("load", link, input: try tandem.run("dump", shop.path).output)
      #expect(outcome.status == 2 && outcome.trouble.contains("\(link) is there already; "), "\(outcome)")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "nowhere")
    }
  }

  /// The link became the file, and what it led to stayed as it was.
  @Test func `where a link is replaced by force, its target is written`() throws {
    try Shop.with { shop throws in
      let target = shop.folder.appendingPathComponent("target")
      try Data("old".utf8).write(to: target)
      #expect(chmod(target.path, 0o640) == 0)
      let link = try link(shop, to: "target")
      #expect(try tandem.run("export", shop.path, "--json-lines", link, "--force").status == 0)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target")
      #expect(try Data(contentsOf: target).starts(with: Data(#"{"@entity""#.utf8)))
      #expect(try permissions(target) == 0o640)
      try FileManager.default.removeItem(at: target)
      let outcome = try tandem.run("export", shop.path, "--json-lines", link, "--force")
      #expect(outcome.status == 2 && outcome.trouble.contains("is a link that leads nowhere"), "\(outcome)")
    }
  }

  private func permissions(_ url: URL) throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int) ?? -1
  }

  @Test func `what is written of a store is its user's alone, as the store`() throws {
    try Shop.with { shop throws in
      func place(_ name: String) -> URL { shop.folder.appendingPathComponent(name) }
      try tandem.run("export", shop.path, place("e.sqlite").path)
      try tandem.run("export", shop.path, "--csv", place("tables").path)
      try tandem.run("export", shop.path, "--json-lines", place("e.jsonl").path)
      try tandem.run("dump", shop.path, "-o", place("e.dump").path)
      for name in ["e.sqlite", "e.jsonl", "e.dump", "tables/Item.csv"] {
        #expect(try permissions(place(name)) == 0o600, "\(name)")
      }
      #expect(try permissions(place("tables")) == 0o700)
    }
  }

  /// Near the end of what a name may have, the name beside it was too long, and the permissions were blamed.
  @Test func `a name is as long as the file system takes, and a longer one is called so`() throws {
    try Shop.with { shop throws in
      func place(_ count: Int, _ sign: String) -> String {
        shop.folder.appendingPathComponent(String(repeating: sign, count: count)).path
      }
      let dump = try tandem.run("dump", shop.path).output
      #expect(try tandem.run("export", shop.path, place(255, "e")).status == 0)
      #expect(try tandem.run("export", shop.path, "--csv", place(255, "c")).status == 0)
      #expect(try tandem.run("dump", shop.path, "-o", place(127, "é")).status == 0)
      #expect(try tandem.run("load", place(250, "s"), input: dump).status == 0)
      for command in [["export", shop.path], ["export", shop.path, "--csv"], ["dump", shop.path, "-o"], ["load"]] {
        let outcome = try tandem.run(arguments: command + [place(256, "n")], input: dump)
        #expect(
          outcome.status == 2 && outcome.trouble.contains("File name too long; choose a shorter name"), "\(outcome)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).allSatisfy { !$0.hasPrefix(".") })
    }
  }

  /// Swift repairs such words: the file got another name, and the key another spelling.
  @Test func `a word of the command line that is not UTF-8 is refused`() throws {
    try Shop.with { shop throws in
      for command in [
        "export '\(shop.path)' $'\(shop.folder.path)/a\\xffb'", "put $'k\\xff' value --device '\(shop.folder.path)'",
      ] {
        let outcome = try tandem.shell("\"$TANDEM\" \(command)")
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.trouble.contains(#"\xFF"#) && outcome.trouble.contains("is not UTF-8"), "\(outcome)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path) == ["shop.store"])
    }
  }

  /// Swift repairs such a name, and no path leads to the repaired one: the sides were called equal.
  @Test func `a store whose name is not UTF-8 is named by sync, and the others are synchronised`() throws {
    try Shop.with { shop throws in
      let (phone, laptop) = (shop.folder.path + "/phone", shop.folder.path + "/laptop")
      let made = try tandem.shell(
        """
        cd '\(shop.folder.path)' && mkdir -p phone/group.example laptop stick $'phone/gr\\xffp' &&
          cp -r shop.store phone/group.example/ && cp -r shop.store $'phone/group.example/caf\\xe9.store' &&
          cp -r shop.store $'phone/gr\\xffp/shop.store'
        """)
      try #require(made.status == 0, "\(made)")
      let stick = shop.folder.path + "/stick"
      for words in [
        ["sync", phone, laptop], ["sync", phone, laptop], ["sync", laptop, phone],
        ["sync", phone, laptop, "--dry-run"],
        ["sync", phone, "--folder", stick], ["sync", phone, "--folder", stick, "--maximum-bytes", "1M"],
      ] {
        let outcome = try tandem.run(arguments: words)
        #expect(outcome.status == 1, "\(words): \(outcome)")
        for name in ["group.example/caf\u{FFFD}.store", "gr\u{FFFD}p/shop.store"] {
          let sentence = outcome.trouble.split(separator: "\n").filter { $0.contains("\(phone)/\(name)") }
          #expect(sentence.count == 1 && sentence[0].contains("is not UTF-8"), "\(words): \(outcome)")
        }
      }
      let dumps = try [laptop, phone + "/group.example/shop.store"].map { place in
        try tandem.run("dump", place).output.split(separator: "\n").dropFirst().sorted()
      }
      #expect(dumps[0] == dumps[1])
    }
  }

  /// The check said nothing of it, and that all was sound.
  @Test(arguments: [false, true])
  func `a store whose name is not UTF-8 is named by a check, and the others are checked`(isAlone: Bool) throws {
    try Shop.with { shop throws in
      let phone = shop.folder.path + "/phone"
      let made = try tandem.shell(
        """
        cd '\(shop.folder.path)' && mkdir -p phone/group.example $'phone/gr\\xffp' &&
          cp -r shop.store $'phone/group.example/caf\\xe9.store' && cp -r shop.store $'phone/gr\\xffp/shop.store'
          \(isAlone ? "" : "cp -r shop.store phone/group.example/")
        """)
      try #require(made.status == 0, "\(made)")
      let outcome = try tandem.run("check", phone)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.output.contains("shop.store: sound") == !isAlone, "\(outcome)")
      for name in ["group.example/caf\u{FFFD}.store", "gr\u{FFFD}p/shop.store"] {
        let sentence = outcome.trouble.split(separator: "\n").filter { $0.contains("\(phone)/\(name)") }
        #expect(sentence.count == 1 && sentence[0].contains("is not UTF-8"), "\(outcome)")
      }
    }
  }

  /// A clock that ran ahead for a while named a copy by a time to come, which then was the newest one for ever.
  @Test func `a copy from the future is not taken for the newest one`() throws {
    try Shop.with { shop throws in
      for name in ["20260102T030405Z-1.2.0", "21000102T030405Z-1.2.0"] {
        let copy = shop.url.appendingPathComponent("backups/\(name)").path
        try FileManager.default.createDirectory(
          at: shop.url.appendingPathComponent("backups"), withIntermediateDirectories: true)
        let made = shop.folder.appendingPathComponent("made").path
        #expect(try tandem.run("backup", shop.path, made).status == 0)
        try FileManager.default.moveItem(atPath: made, toPath: copy)
      }
      let refused = try tandem.run("restore", shop.path)
      #expect(refused.status == 2 && refused.trouble.contains("21000102T030405Z-1.2.0"), "\(refused)")
      #expect(refused.trouble.contains("name the copy"), "\(refused)")
      let named = try tandem.run("restore", shop.path, "20260102T030405Z-1.2.0")
      #expect(named.status == 0, "\(named)")
    }
  }

  /// Reading commands waited for a writer of the pipe, and for ever.
  @Test(arguments: ["data.mdb", "backup", nil]) func `a pipe in the place of a store's file keeps no command waiting`(
    name: String?
  ) throws {
    let file = name ?? "data.mdb"
    try Shop.with { shop throws in
      let outcome = try Tandem(folder: shop.folder).shell(
        """
        "$TANDEM" backup shop.store odd.store >/dev/null && rm odd.store/\(file) && mkfifo odd.store/\(file)
        # A store that nobody has opened yet.
        \(name == nil ? "rm odd.store/backup" : "")
        for command in "info odd.store" "check odd.store" "salvage odd.store new" "restore shop.store odd.store"; do
          timeout -s KILL 60 "$TANDEM" $command 2>&1 >/dev/null | grep -c "^tandem: "; echo "${PIPESTATUS[0]} $command"
        done
        """)
      let codes = outcome.lines.filter { $0.contains("odd.store") }
      #expect(codes.count == 4 && codes.allSatisfy { ["0", "1", "2"].contains($0.prefix { $0 != " " }) }, "\(outcome)")
      #expect(outcome.lines.contains("2 restore shop.store odd.store"), "\(outcome)")
    }
  }

  /// What was put there went with the store, or stayed behind in the directory of the next one.
  @Test(
    arguments: [
      ["export", "shop.store", "IN"], ["export", "shop.store", "--json-lines", "IN"],
      ["export", "shop.store", "--csv", "IN"], ["dump", "shop.store", "-o", "IN"], ["salvage", "shop.store", "IN"],
      ["load", "IN", "shop.dump"], ["import", "IN", "Book.csv"],
    ], ["shop.store/new", "link/new", "shop.store/deep/new"])
  func `nothing is made in the directory of a store`(command: [String], place: String) throws {
    try Shop.with { shop throws in
      let tandem = Tandem(folder: shop.folder)
      try FileManager.default.createDirectory(
        at: shop.url.appendingPathComponent("deep"), withIntermediateDirectories: false)
      _ = try link(shop, to: "shop.store")
      try tandem.run("dump", "shop.store", "-o", "shop.dump")
      try Data("title\nDune\n".utf8).write(to: shop.folder.appendingPathComponent("Book.csv"))
      let outcome = try tandem.run(arguments: command.map { $0 == "IN" ? place : $0 })
      #expect(outcome.status == 2 && outcome.trouble.contains("lies in the store at "), "\(outcome)")
      #expect(outcome.trouble.contains("name a place outside of it"), "\(outcome)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.path + "/deep").isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.path).allSatisfy { !$0.contains("new") })
    }
  }

  /// The file was said to be missing.
  @Test(arguments: ["circle", "circle.csv"])
  func `an import names a link in a circle as what it is`(name: String) throws {
    try Shop.with { shop throws in
      try FileManager.default.createSymbolicLink(
        atPath: shop.folder.appendingPathComponent(name).path, withDestinationPath: name)
      let outcome = try Tandem(folder: shop.folder).run("import", "new.store", name)
      #expect(outcome.status == 2 && outcome.trouble.contains("links, which lead in a circle"), "\(outcome)")
    }
  }

  /// The store, or its copies, were said to be missing.
  @Test(arguments: [
    "restore file/x.store", "restore file/x.store shop.backup", "backups file/x.store", "info file/x.store",
    "rebuild file/x.store --from .", "rebuild file/group/x.store --from .",
  ])
  func `a file where a folder has to be is named`(command: String) throws {
    try Shop.with { shop throws in
      let tandem = Tandem(folder: shop.folder)
      try Data("x".utf8).write(to: shop.folder.appendingPathComponent("file"))
      #expect(try tandem.run("backup", "shop.store", "shop.backup").status == 0)
      let outcome = try tandem.shell("\"$TANDEM\" \(command)")
      #expect(
        outcome.status == 2 && outcome.trouble.contains("/file is a file, so there is no store at "), "\(outcome)")
    }
  }
}
