import Foundation
import RecordStore
import StoreInspection
import Testing

/// What `tandem sync` is asked to do, and where.
struct SyncRequestTests {
  private let tandem = Tandem()

  /// A device with a filled store, and an empty folder beside it, in which the commands run.
  private func withPhone(_ body: (Shop, Tandem) throws -> Void) throws {
    try Shop.with { shop throws in
      for name in ["phone", "laptop"] {
        try FileManager.default.createDirectory(
          at: shop.folder.appendingPathComponent(name), withIntermediateDirectories: false)
      }
      try shop.create(at: shop.folder.appendingPathComponent("phone/group.example/shop.store"), isFilled: true)
      var tandem = tandem
      tandem.folder = shop.folder
      try body(shop, tandem)
      #expect(try tandem.run("check", "phone").status == 0)
    }
  }

  private func records(_ device: String, _ tandem: Tandem) throws -> [Substring] {
    try tandem.run("dump", device).output.split(separator: "\n").dropFirst().sorted()
  }

  /// Every entry below a folder: its kind, its bytes, and when it was written. Of the two files that every reader of a
  /// store touches, so that a writer knows of it and a crash is counted, only the kind.
  private func tree(_ folder: URL) throws -> [String: [String]] {
    var tree: [String: [String]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) + ["."] {
      let place = folder.appendingPathComponent(path)
      let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
      let kind = attributes[.type] as? FileAttributeType
      var entry = ["\(kind?.rawValue ?? "")", "\(attributes[.posixPermissions] ?? "")"]
      if !["lock.mdb", "opening"].contains(place.lastPathComponent) {
        var status = stat()
        #expect(lstat(place.path, &status) == 0)
        entry.append("\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)")
        if kind == .typeRegular { entry.append(try Data(contentsOf: place).base64EncodedString()) }
      }
      tree[path] = entry
    }
    return tree
  }

  /// With --create a store was made inside the store.
  @Test(arguments: [[], ["--create"]]) func `a store, a backup and a group are no device directories`(
    options: [String]
  ) throws {
    try withPhone { shop, tandem throws in
      #expect(try tandem.run("backup", "phone", "copy.backup").status == 0)
      for (path, words) in [
        ("phone/group.example/shop.store", "is a store, no device directory"), ("copy.backup", "is a backup, to which"),
      ] {
        let before = try FileManager.default.subpathsOfDirectory(atPath: shop.folder.appendingPathComponent(path).path)
        for command in [["sync", path, "laptop"], ["sync", "laptop", "--folder", path]] {
          let outcome = try tandem.run(arguments: command + options)
          #expect(outcome.status == 2 && outcome.trouble.contains(words), "\(outcome)")
          #expect(!outcome.trouble.contains("--create"), "\(outcome)")
        }
        #expect(
          try FileManager.default.subpathsOfDirectory(atPath: shop.folder.appendingPathComponent(path).path) == before)
      }
      let group = try tandem.run("sync", "phone/group.example", "laptop")
      #expect(group.status == 2 && group.trouble.contains("holds the store shop.store without a group"), "\(group)")
      #expect(group.trouble.hasSuffix("/phone\n"), "\(group)")
    }
  }

  @Test(arguments: [["sync", "phone", "other"], ["sync", "phone", "--folder", "other"]])
  func `nothing is written into a directory with other things, or that is missing, unless --create is given`(
    command: [String]
  ) throws {
    try withPhone { shop, tandem throws in
      let other = shop.folder.appendingPathComponent("other")
      for name in ["", "letters"] {
        if name.isEmpty {
          let missing = try tandem.run(arguments: command)
          #expect(missing.status == 2 && missing.trouble.contains("--create"), "\(missing)")
          #expect(!FileManager.default.fileExists(atPath: other.path))
        } else {
          try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
          try Data("Dear Ada".utf8).write(to: other.appendingPathComponent(name))
        }
        let before = FileManager.default.fileExists(atPath: other.path) ? try tree(other) : [:]
        for extra in name.isEmpty ? [] : [[], ["--dry-run"]] {
          let refused = try tandem.run(arguments: command + extra)
          #expect(refused.status == 2, "\(refused)")
          #expect(refused.trouble.contains("other holds other things, such as letters"), "\(refused)")
          #expect(refused.trouble.split(separator: "\n").count == 1)
          #expect(try tree(other) == before)
        }
        let planned = try tandem.run(arguments: command + ["--create", "--dry-run"])
        #expect(planned.status == 0, "\(planned)")
        #expect(try (FileManager.default.fileExists(atPath: other.path) ? tree(other) : [:]) == before)
        #expect(try tandem.run(arguments: command + ["--create"]).status == 0)
        #expect(try tandem.run(arguments: command).output == "nothing to do: the sides are equal\n")
        try FileManager.default.removeItem(at: other)
        // A new device each time, so that the folder is none that was used.
        try FileManager.default.removeItem(at: shop.folder.appendingPathComponent("phone"))
        try shop.create(at: shop.folder.appendingPathComponent("phone/group.example/shop.store"), isFilled: true)
      }
    }
  }

  @Test func `--watch of a folder with other things, or of none, is a mistake in the command`() throws {
    try withPhone { shop, tandem throws in
      for folder in ["/usr", "nowhere"] {
        let refused = try tandem.run("sync", "phone", "--folder", folder, "--watch")
        #expect(refused.status == 2, "\(refused)")
        #expect(refused.trouble.contains("--create"), "\(refused)")
      }
      let neither = try tandem.run("sync", "tablet", "nowhere", "--create")
      #expect(neither.status == 2 && neither.trouble.contains("neither tablet nor nowhere is there"), "\(neither)")
      #expect(!FileManager.default.fileExists(atPath: shop.folder.appendingPathComponent("tablet").path))
    }
  }

  /// Each of them makes what it is told to make in a folder that is there, and nothing else.
  @Test(arguments: [
    ["load", "typo/new.store", "dump.jsonl"], ["load", "typo", "--into", "dump.jsonl"],
    ["restore", "typo/group/shop.store", "nothing"], ["rebuild", "typo/group/shop.store", "--from", "phone"],
    ["salvage", "shop.store", "typo/new.store"], ["backup", "shop.store", "typo/new.backup"],
    ["put", "key", "value", "--suite", "../typo"], ["put", "key", "value", "--in", "typo"],
    ["put", "key", "value", "--device", "typo"], ["increment", "key", "--device", "typo"],
    ["suites", "import", "dump.jsonl", "--plain", "--in", "typo"],
    ["status", "typo"], ["retire", "typo", "0000000000000009"], ["check", "typo"], ["conflicts", "list", "typo"],
  ])
  func `no other command makes a folder that nobody asked for`(command: [String]) throws {
    try withPhone { shop, tandem throws in
      try Data(tandem.run("dump", "phone").output.utf8).write(to: shop.folder.appendingPathComponent("dump.jsonl"))
      let outcome = try tandem.run(arguments: command)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.trouble.hasPrefix("tandem: "), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: shop.folder.appendingPathComponent("typo").path))
    }
  }

  @Test(arguments: [false, true]) func `a dry run says what the run does then, and writes nothing`(
    throughFolder: Bool
  ) throws {
    try withPhone { shop, tandem throws in
      let command = throughFolder ? ["sync", "phone", "--folder", "laptop"] : ["sync", "phone", "laptop"]
      let before = try tree(shop.folder)
      let planned = try tandem.run(arguments: command + ["--dry-run"])
      #expect(planned.status == 0, "\(planned)")
      #expect(planned.lines.first == "group.example/shop")
      #expect(planned.output.contains("phone: 2 transactions would be exported"), "\(planned)")
      let isMade = "laptop: store would be created, 2 transactions would be merged"
      #expect(planned.output.contains(isMade) == !throughFolder, "\(planned)")
      let json = try JSON(parsing: tandem.run(arguments: command + ["--dry-run", "--json"]).output)
      #expect(json["stores"] != nil)
      #expect(try tree(shop.folder) == before)
      let done = try tandem.run(arguments: command)
      #expect(done.output.contains("2 transactions exported"), "\(done)")
      #expect(done.output.contains("store created, 2 transactions merged") == !throughFolder, "\(done)")
      let after = try tree(shop.folder)
      #expect(try tandem.run(arguments: command + ["--dry-run"]).output == "nothing would be done\n")
      #expect(try tree(shop.folder) == after)
    }
  }

  /// Where a first synchronisation is when the signal comes: as soon as the path is there.
  private static let points = [
    "phone/group.example/shop.exchange", "laptop/group.example", "laptop/group.example/shop.exchange",
    "laptop/group.example/shop.store", "laptop/group.example/shop.store/data.mdb",
    "laptop/group.example/shop.store/notify",
  ]

  @Test(arguments: [SIGINT, SIGKILL], points)
  func `after a signal in a first synchronisation the next one goes on`(signal: Int32, point: String) throws {
    try withPhone { shop, tandem throws in
      let lines = (0..<500).map { "{\"entity\":\"Tag\",\"fields\":{\"name\":\"tag \($0)\"}}\n" }
      #expect(try tandem.run("load", "phone", "--into", input: lines.joined()).status == 0)
      let running = try tandem.start("sync", "phone", "laptop")
      let place = shop.folder.appendingPathComponent(point).path
      while running.isRunning, !FileManager.default.fileExists(atPath: place) { sched_yield() }
      let status = running.end(by: signal)
      // A fast machine may have ended it before.
      #expect([0, signal == SIGINT ? 130 : -SIGKILL].contains(status))
      let next = try tandem.run("sync", "phone", "laptop")
      #expect(next.status == 0, "\(next)")
      #expect(try tandem.run("sync", "phone", "laptop").output == "nothing to do: the sides are equal\n")
      #expect(try records("phone", tandem) == records("laptop", tandem))
      #expect(try records("laptop", tandem).count > 500)
      #expect(try tandem.run("check", "laptop").status == 0)
    }
  }

  @Test func `--only synchronises the stores that it names, also while watching`() throws {
    try withPhone { shop, tandem throws in
      try shop.create(at: shop.folder.appendingPathComponent("phone/group.example/other.store"), isFilled: true)
      let one = try tandem.run("sync", "phone", "laptop", "--only", "group.example/shop")
      #expect(one.status == 0, "\(one)")
      let made = {
        try FileManager.default.contentsOfDirectory(atPath: shop.folder.path + "/laptop/group.example").sorted()
      }
      #expect(try made() == ["shop.exchange", "shop.store"])
      let wrong = try tandem.run("sync", "phone", "laptop", "--only", "group.example/shp")
      #expect(wrong.status == 2, "\(wrong)")
      #expect(
        wrong.trouble == "tandem: there is no store group.example/shp on either side; there are: group.example/other, "
          + "group.example/shop\n")
      let malformed = try tandem.run("sync", "phone", "laptop", "--only", "shop")
      #expect(malformed.status == 2 && malformed.trouble.contains("--only 'shop' is not of the form GROUP/STORE"))
      let unwatched = try tandem.run("sync", "phone", "--folder", "laptop", "--watch", "--only", "group.example/shp")
      #expect(unwatched.status == 2, "\(unwatched)")
      let both = try tandem.run(
        "sync", "phone", "laptop", "--only", "group.example/shop", "--only", "group.example/other")
      #expect(both.lines.first?.hasPrefix("group.example/other") == true, "\(both)")
      #expect(try made().contains("other.store"))

      try FileManager.default.createDirectory(atPath: shop.folder.path + "/stick", withIntermediateDirectories: false)
      let watching = try tandem.start(
        "sync", "phone", "--folder", "stick", "--watch", "--only", "group.example/shop", "--json")
      let first = try JSON(parsing: #require(watching.line())).description
      #expect(first.contains("\"synchronized\"") && first.contains("shop") && !first.contains("other"), "\(first)")
      #expect(watching.end(by: SIGTERM) == 0)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: shop.folder.path + "/stick/group.example")
          == ["shop.exchange"])
    }
  }

  @Test func `--begin-anew says what it does, and fills a folder that was emptied`() throws {
    try withPhone { shop, tandem throws in
      let stick = shop.folder.appendingPathComponent("stick")
      #expect(try tandem.run("sync", "phone", "--folder", "stick", "--create").status == 0)
      #expect(try tandem.run("sync", "laptop", "--folder", "stick").status == 0)
      for name in try FileManager.default.contentsOfDirectory(atPath: stick.path) {
        try FileManager.default.removeItem(at: stick.appendingPathComponent(name))
      }
      for extra in [[], ["--dry-run"]] {
        let refused = try tandem.run(arguments: ["sync", "phone", "--folder", "stick"] + extra)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.trouble.contains("with 'tandem sync --begin-anew'"), "\(refused)")
      }
      let planned = try tandem.run("sync", "phone", "--folder", "stick", "--begin-anew", "--dry-run")
      #expect(planned.lines.first == "group.example/shop, all of it written anew", "\(planned)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: stick.path) == [])
      let anew = try tandem.run("sync", "phone", "--folder", "stick", "--begin-anew")
      #expect(anew.status == 0, "\(anew)")
      #expect(
        anew.trouble
          == "tandem: stick does not hold group.example/shop any more: all that phone knows of it is written "
          + "there again, and other devices add what they have when they synchronise\n")
      #expect(try tandem.run("sync", "laptop", "--folder", "stick").status == 0)
      #expect(try tandem.run("sync", "tablet", "--folder", "stick", "--create").status == 0)
      for device in ["laptop", "tablet"] { #expect(try records(device, tandem) == records("phone", tandem)) }
      let needless = try tandem.run("sync", "phone", "--folder", "stick", "--begin-anew")
      #expect(needless.status == 0 && needless.trouble.contains("stick has lost no store"), "\(needless)")
      for wrong in [["phone", "laptop", "--begin-anew"], ["phone", "--folder", "stick", "--watch", "--begin-anew"]] {
        #expect(try tandem.run(arguments: ["sync"] + wrong).status == 2)
      }
    }
  }

  @Test func `status says when the device was last synchronised with what`() throws {
    try withPhone { shop, tandem throws in
      #expect(try tandem.run("status", "phone").output.contains("never synchronised"))
      #expect(try tandem.run("sync", "phone", "laptop").status == 0)
      for (device, other) in [("phone", "laptop"), ("laptop", "phone")] {
        let path = shop.folder.resolvingSymlinksInPath().path + "/" + other
        let status = try tandem.run("status", device)
        #expect(
          status.lines.contains { $0.hasPrefix("  last synchronised 20") && $0.hasSuffix("Z with \(path)") },
          "\(status)")
        guard case .array(let stores) = try JSON(parsing: tandem.run("status", device, "--json").output),
          case .array(let last)? = stores.first?["status"]?["lastSynchronizations"]
        else {
          Issue.record("no last synchronisation of \(device)")
          continue
        }
        #expect(last.count == 1 && last[0]["path"]?.stringValue == path && last[0]["milliseconds"] != nil)
      }
    }
  }
}
