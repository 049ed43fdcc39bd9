import Foundation
import HelperProcess
import RecordStore
import StoreInspection
import TestSupport
import Testing

/// `tandem backup`, `restore`, `salvage`, `rebuild`, and `check` of damaged stores.
struct RepairCommandTests {
  private let tandem = Tandem()
  private static let pageBytes = 4096

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func titles(_ store: String) throws -> [String] {
    try tandem.run("query", store, "Item", "--fields", "title", "--sort", "title", "--json").lines
  }

  @Test func `a backup is made, read by commands that look, replaced, and restored`() throws {
    try Shop.with { shop throws in
      let backup = shop.folder.appendingPathComponent("shop.backup").path
      let made = try tandem.run("backup", shop.path, backup, "--compact", "--json")
      #expect(made.status == 0, "\(made.trouble)")
      let json = try JSON(parsing: made.output)
      #expect(json["compact"] == .bool(true) && json["lastTransaction"]?.integerValue(as: Int.self) == 2)
      let before = try titles(shop.path)
      #expect(try titles(backup) == before && before.count == 3)
      #expect(try tandem.run("check", backup).output == "\(backup): sound, 7 records\n")
      #expect(try names(in: URL(fileURLWithPath: backup)) == ["backup", "data.mdb"])

      let refused = try tandem.run("load", "--into", backup, input: "{}")
      #expect(refused.status == 2 && refused.trouble.contains("is a backup"))
      let again = try tandem.run("backup", shop.path, backup)
      #expect(again.status == 0 && again.output.contains("up to transaction 2, checked"), "\(again)")

      let line = #"{"@entity":"Item","title":"Later","done":false,"weight":0,"size":1}"#
      #expect(try tandem.run("load", "--into", shop.path, "-", input: line).status == 0)
      let restored = try tandem.run("restore", shop.path, backup)
      #expect(restored.status == 0, "\(restored.trouble)")
      #expect(restored.lines.count == 2 && restored.lines[1].contains("shop.store.replaced-"))
      #expect(try titles(shop.path) == before)
      #expect(try tandem.run("restore", shop.path, backup, "--discard-replaced", "--json").status == 0)
      #expect(try names(in: shop.folder).filter { $0.contains("replaced") }.count == 1)
    }
  }

  @Test func `a store that is open is not restored, and goes on`() throws {
    try Shop.with { shop throws in
      let backup = shop.folder.appendingPathComponent("shop.backup").path
      #expect(try tandem.run("backup", shop.path, backup).status == 0)
      let store = try RecordStore.open(StoreConfiguration(url: URL(fileURLWithPath: shop.path)))
      let refused = try tandem.run("restore", shop.path, backup)
      #expect(refused.status == 2 && refused.trouble.contains("is open in this process or another"), "\(refused)")
      #expect(try names(in: shop.folder).filter { $0.contains("replaced") || $0.hasPrefix(".") }.isEmpty)
      _ = try store.commit(SaveRequest(changes: []))
      #expect(try titles(shop.path).count == 3)
    }
  }

  @Test func `neither a backup nor a restore takes the place of something else`() throws {
    try Shop.with { shop throws in
      let folder = shop.folder.appendingPathComponent("mine")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try Data("x".utf8).write(to: folder.appendingPathComponent("note"))
      let outcome = try tandem.run("backup", shop.path, folder.path)
      #expect(outcome.status == 2 && outcome.trouble.contains("is no backup"), "\(outcome)")
      let other = try tandem.run("restore", shop.path, folder.path)
      #expect(other.status == 2 && other.trouble.contains("no manifest"), "\(other)")
      let salvage = try tandem.run("salvage", shop.path, folder.path)
      #expect(salvage.status == 2 && salvage.trouble.hasSuffix("is there already; name a new store\n"), "\(salvage)")
      #expect(try names(in: folder) == ["note"])
    }
  }

  @Test func `a store of which a flipped bit hides the last save is called damaged, and salvaged whole`() throws {
    try Shop.with { shop throws in
      let before = try titles(shop.path)
      let sound = try Data(contentsOf: shop.dataFile)
      let places = (0..<2).map { $0 * Self.pageBytes + 16 + 128 }
      var damaged = sound
      damaged[(sound[places[0]] < sound[places[1]] ? places[0] : places[1]) + 5] ^= 2
      try damaged.overwrite(shop.dataFile)
      let checked = try tandem.run("check", shop.path)
      #expect(checked.status == 1 && checked.lines.count == 4, "\(checked)")
      let flaw = "the number of one of its two last commits is damaged, so an older one would be taken for the last"
      #expect(checked.lines[1] == "  \(flaw)" && checked.lines[2].contains(flaw), "\(checked)")
      let refused = try tandem.run("query", shop.path, "Item")
      #expect(refused.status == 2 && refused.trouble.contains("restore a copy"), "\(refused)")
      let saved = shop.folder.appendingPathComponent("saved.store").path
      #expect(try tandem.run("salvage", shop.path, saved).status == 0)
      #expect(try titles(saved) == before)
      try sound.overwrite(shop.dataFile)
    }
  }

  @Test func `progress is on standard error, and only on a terminal`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("backup", shop.path, shop.folder.appendingPathComponent("b").path)
      #expect(outcome.trouble.isEmpty)
    }
  }

  @Test func `an interrupted backup leaves nothing`() throws {
    try Shop.with { shop throws in
      let backup = shop.folder.appendingPathComponent("shop.backup")
      for delay in [0, 1, 2, 5, 10, 20] {
        let running = try tandem.start("backup", shop.path, backup.path)
        // Whenever it comes, there is a whole backup or none.
        usleep(useconds_t(delay * 1000))
        let status = running.end(by: SIGINT)
        #expect([0, 130, -SIGINT].contains(status))
        let found = try names(in: shop.folder).filter { $0.contains("backup") }
        if status == -SIGINT { continue }
        #expect(found == (FileManager.default.fileExists(atPath: backup.path) ? ["shop.backup"] : []), "\(found)")
      }
    }
  }

  @Test func `a damaged store never ends the check, and salvage brings back what is intact`() throws {
    var random = SeededGenerator.announced()
    try Shop.with { shop throws in
      let sound = try Data(contentsOf: shop.dataFile)
      let pages = sound.count / Self.pageBytes
      let before = Set(try titles(shop.path))
      let new = shop.folder.appendingPathComponent("new.store")
      for round in 0..<(TestLength.isLong ? 400 : 12) {
        var bytes = sound
        let page = Int.random(in: 2..<pages, using: &random)
        if random.oneIn(2) {
          let range = page * Self.pageBytes..<(page + 1) * Self.pageBytes
          bytes.replaceSubrange(
            range,
            with: random.oneIn(2)
              ? Data(count: Self.pageBytes)
              : Data((0..<Self.pageBytes).map { _ in UInt8.random(in: 0...255, using: &random) }))
        } else {
          for _ in 0..<4 {
            bytes[page * Self.pageBytes + Int.random(in: 0..<Self.pageBytes, using: &random)] ^=
              1 << UInt8.random(in: 0..<8, using: &random)
          }
        }
        try bytes.overwrite(shop.dataFile)
        let check = try tandem.run("check", shop.path, "--json")
        #expect([0, 1].contains(check.status), "round \(round): \(check)")
        let salvage = try tandem.run("salvage", shop.path, new.path, "--json")
        #expect([0, 1, 2].contains(salvage.status), "round \(round): \(salvage)")
        if salvage.status == 2 {
          #expect(salvage.trouble.contains("--schema-from"), "\(salvage)")
        } else {
          let found = Set(try titles(new.path))
          #expect(found.isSubset(of: before))
          if salvage.status == 0 { #expect(found == before, "round \(round): \(salvage)") }
          #expect(try tandem.run("check", new.path).status == 0)
          try FileManager.default.removeItem(at: new)
        }
      }
      try sound.overwrite(shop.dataFile)
    }
  }

  /// LMDB follows the length that a page names, out of the map.
  @Test func `where a damaged page ends the reading process, check names the signal and the table`() throws {
    try Shop.with { shop throws in
      let sound = try Data(contentsOf: shop.dataFile)
      // A node of a leaf says that its value is longer than the whole map.
      var (bytes, hits) = (sound, 0)
      for page in 2..<sound.count / Self.pageBytes {
        let start = page * Self.pageBytes
        let header = Array(sound[start..<start + 16])
        guard header[10] == 2, Int(header[0]) | Int(header[1]) << 8 == page else { continue }
        let end = Int(header[12]) | Int(header[13]) << 8
        for slot in stride(from: 16, to: end, by: 2) {
          let node = start + (Int(sound[start + slot]) | Int(sound[start + slot + 1]) << 8)
          let keyBytes = Int(sound[node + 6]) | Int(sound[node + 7]) << 8
          // Records have keys of sixteen bytes.
          guard keyBytes == 16, sound[node + 4] == 0 else { continue }
          bytes.replaceSubrange(node..<node + 4, with: [0, 0, 0, 0xF0])
          hits += 1
        }
      }
      #expect(hits > 0)
      try bytes.overwrite(shop.dataFile)
      let check = try tandem.run("check", shop.path)
      #expect(check.status == 1, "\(check)")
      #expect(check.output.contains("of table e"))
      if check.output.contains("ended by signal") {
        #expect(check.output.contains("while reading table"), "\(check.output)")
      }
      try sound.overwrite(shop.dataFile)
    }
  }

  /// Two devices that are equal, and the store of the first.
  private func withDevices(_ body: (_ shop: Shop, _ phone: URL, _ laptop: URL, _ store: URL) throws -> Void) throws {
    try Shop.with { shop throws in
      let (phone, laptop) = (shop.folder.appendingPathComponent("phone"), shop.folder.appendingPathComponent("laptop"))
      let store = phone.appendingPathComponent("group.example/shop.store")
      try shop.create(at: store, isFilled: true)
      try FileManager.default.createDirectory(at: laptop, withIntermediateDirectories: true)
      #expect(try tandem.run("sync", phone.path, laptop.path).status == 0)
      try body(shop, phone, laptop, store)
    }
  }

  @Test func `a lost device is rebuilt from another one`() throws {
    try withDevices { shop, phone, laptop, store in
      let before = try titles(store.path)
      let line = #"{"@entity":"Item","title":"Never exported","done":false,"weight":0,"size":1}"#
      #expect(try tandem.run("load", "--into", store.path, "-", input: line).status == 0)
      let rebuilt = try tandem.run("rebuild", store.path, "--from", laptop.path)
      #expect(rebuilt.status == 1, "\(rebuilt)")
      #expect(rebuilt.output.contains("never exported, so lost: 1 transaction;"))
      #expect(try titles(store.path) == before)
      try FileManager.default.removeItem(at: store)
      let again = try tandem.run("rebuild", store.path, "--from", laptop.path, "--json")
      #expect(again.status == 0, "\(again)")
      #expect(try titles(store.path) == before)
      #expect(try tandem.run("sync", phone.path, laptop.path).status == 0)
      let nowhere = try tandem.run("rebuild", store.path, "--from", "nowhere/exchange")
      #expect(nowhere.status == 2 && nowhere.trouble.contains("there is no folder at "), "\(nowhere)")
      #expect(!nowhere.trouble.contains("--create"), "\(nowhere)")
      let wrong = try tandem.run("rebuild", store.path, "--from", shop.folder.path)
      #expect(wrong.status == 2 && wrong.trouble.contains("holds no files of shop.store"), "\(wrong)")
    }
  }

  @Test func `the store of a device directory is rebuilt, whether it is there or lost`() throws {
    try withDevices { _, phone, laptop, store in
      let before = try titles(store.path)
      #expect(try tandem.run("rebuild", phone.path, "--from", laptop.path).status == 0)
      try FileManager.default.removeItem(at: store)
      let rebuilt = try tandem.run("rebuild", phone.path, "--from", laptop.path)
      #expect(rebuilt.status == 0 && rebuilt.output.hasPrefix("\(store.path) is rebuilt"), "\(rebuilt)")
      #expect(try titles(store.path) == before)
      try FileManager.default.copyItem(at: store, to: store.deletingLastPathComponent().appending(path: "more.store"))
      let refused = try tandem.run("rebuild", phone.path, "--from", laptop.path)
      #expect(refused.status == 2 && refused.trouble.contains("holds 2 stores; name one of them: "), "\(refused)")
    }
  }

  /// It made a store beside, which no synchronisation saw.
  @Test func `a rebuild makes no store under a name that no sync finds`() throws {
    try withDevices { _, _, laptop, store in
      let group = store.deletingLastPathComponent()
      let before = try names(in: group)
      let refused = try tandem.run("rebuild", store.deletingPathExtension().path, "--from", laptop.path)
      #expect(refused.status == 2 && refused.trouble.contains("name it so, such as \(store.path)\n"), "\(refused)")
      #expect(try names(in: group) == before)
    }
  }

  @Test func `a rebuild without a file that another device has told of ends with 1`() throws {
    try withDevices { shop, phone, laptop, store in
      let line = #"{"@entity":"Item","title":"Later","done":false,"weight":0,"size":1}"#
      #expect(try tandem.run("load", "--into", store.path, "-", input: line).status == 0)
      #expect(try tandem.run("sync", phone.path, laptop.path).status == 0)
      let files = try FileManager.default.subpathsOfDirectory(atPath: laptop.path).filter { $0.hasSuffix(".tcs") }
      try Data("cut".utf8).overwrite(laptop.appendingPathComponent(try #require(files.max())))
      try FileManager.default.removeItem(at: phone.appendingPathComponent("group.example"))
      let rebuilt = try tandem.run("rebuild", store.path, "--from", laptop.path)
      #expect(rebuilt.status == 1 && rebuilt.trouble.contains("refused: r/"), "\(rebuilt)")
      #expect(rebuilt.trouble.contains("is in no file here, and replica "), "\(rebuilt)")
      #expect(try tandem.run("check", store.path).status == 0)
    }
  }

  /// A restore refused the backup that a check had called sound: free pages, and what lies behind the last one, belong
  /// to no tree.
  @Test(arguments: [3000, 1_000_000]) func `a check says of a backup what a restore will say`(offset: Int) throws {
    try Shop.with { shop throws in
      let backup = shop.folder.appendingPathComponent("shop.backup")
      #expect(try tandem.run("backup", shop.path, backup.path).status == 0)
      let data = backup.appendingPathComponent("data.mdb")
      let file = try FileHandle(forUpdating: data)
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data([7]))
      try file.close()
      let checked = try tandem.run("check", backup.path)
      #expect(checked.status == 1, "\(checked)")
      let sentence = "the backup at \(backup.path) is not as it was made, its checksum is wrong: restore another one"
      #expect(checked.output.contains(sentence), "\(checked)")
      let restored = try tandem.run("restore", shop.path, backup.path)
      #expect(restored.status == 2 && restored.trouble == "tandem: \(sentence)\n", "\(restored)")
    }
  }

  /// The state before the last save was called everything, with exit code 0.
  @Test(arguments: [0, 1]) func `a salvage knows whether the meta page that is destroyed led to the last save`(
    page: Int
  ) throws {
    try Shop.with { shop throws in
      let added = try tandem.run("insert", shop.path, "Tag", "name=last")
      #expect(added.status == 0, "\(added)")
      var bytes = try Data(contentsOf: shop.dataFile)
      let numbers = [0, 1].map { page in
        bytes.subdata(in: page * Self.pageBytes + 144..<page * Self.pageBytes + 152).reversed()
          .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
      let isLast = numbers[page] > numbers[1 - page]
      bytes.replaceSubrange(page * Self.pageBytes..<(page + 1) * Self.pageBytes, with: Data(count: Self.pageBytes))
      let damaged = shop.folder.appendingPathComponent("damaged.store")
      try FileManager.default.createDirectory(at: damaged, withIntermediateDirectories: true)
      try bytes.write(to: damaged.appendingPathComponent("data.mdb"))
      let new = shop.folder.appendingPathComponent("new.store").path
      let outcome = try tandem.run("salvage", damaged.path, new)
      #expect(outcome.status == (isLast ? 1 : 0), "\(outcome)")
      let sentence = "  what transaction 3 changed: the page that named the last save is destroyed"
      #expect(outcome.lines.contains(sentence) == isLast, "\(outcome)")
      #expect(outcome.output.contains("everything was recovered") != isLast, "\(outcome)")
      #expect(try tandem.run("check", new).status == 0)
      let all = shop.folder.appendingPathComponent("all.store").path
      let again = try tandem.run("salvage", damaged.path, all, "--with-doubtful", "--json")
      #expect(try JSONSchema(of: "salvage").violations(of: JSON(parsing: again.output)) == [])
      #expect(try tandem.run("query", all, "Tag", "--where", "name = 'last'", "--count").output == "1\n", "\(again)")
    }
  }
}
