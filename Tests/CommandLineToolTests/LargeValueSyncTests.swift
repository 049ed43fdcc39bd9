import Foundation
import RecordStore
import StoreInspection
import Testing

/// `tandem sync` and large values, which lie in files of their own.
struct LargeValueSyncTests {
  private let tandem = Tandem()
  private static let place = "group.example/gallery"

  /// Two device directories, of which the first has a store with one picture, and a folder between them.
  private func withDevices(
    pictureBytes: Int, _ body: (_ phone: String, _ laptop: String, _ folder: String) throws -> Void
  ) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tandem-values-\(UUID().uuidString)").path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: root) } }
    let (phone, laptop, folder) = (root + "/phone", root + "/laptop", root + "/stick")
    for path in [phone + "/group.example", laptop, folder] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try insert(Data((0..<pictureBytes).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }), 1, phone)
    try body(phone, laptop, folder)
    for device in [phone, laptop] where try tandem.run("info", device).status == 0 {
      let outcome = try tandem.run("check", device)
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  private func insert(_ picture: Data, _ number: UInt64, _ device: String) throws {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Picture",
        attributes: [
          AttributeDefinition(name: "bytes", type: .data, isOptional: true, isStoredExternally: true),
          AttributeDefinition(name: "name", type: .string, isOptional: true),
        ])
    ])
    let store = try RecordStore.open(
      StoreConfiguration(url: URL(fileURLWithPath: "\(device)/\(Self.place).store")), schema: schema)
    let change = RecordChange.insert(
      entity: 0, id: RecordID(high: 1, low: number), fields: [FieldWrite(0, .data(picture))])
    _ = try store.commit(SaveRequest(changes: [change]))
  }

  private func files(_ suffix: String, below folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(suffix) }
  }

  /// The files of large values in a device's store.
  private func values(_ device: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: device).filter { path in
      path.contains(".store/blobs/") && path.split(separator: "/").last?.utf8.count == 64
    }
  }

  @Test func `values are left on demand, the answer says how they come, and a later run brings them`() throws {
    try withDevices(pictureBytes: 200_000) { phone, laptop, folder throws in
      try insert(Data(repeating: 7, count: 300_000), 2, phone)
      #expect(try tandem.run("sync", phone, "--folder", folder).status == 0)
      let first = try tandem.run("sync", laptop, "--folder", folder, "--large-values", "on-demand")
      #expect(first.status == 0 && first.trouble.isEmpty, "\(first)")
      #expect(
        first.lines.last
          == "2 large values of 488.3 KiB have not come: a run with '--large-values always' brings them", "\(first)")
      #expect(try values(laptop).isEmpty)
      let idle = try tandem.run("sync", laptop, "--folder", folder, "--large-values", "on-demand")
      #expect(idle.lines.first == "nothing to do: the records of the sides are equal", "\(idle)")
      #expect(idle.lines.count == 2 && idle.status == 0, "\(idle)")
      let json = try tandem.run("sync", laptop, "--folder", folder, "--large-values", "on-demand", "--json")
      #expect(try JSONSchema(of: "sync").violations(of: JSON(parsing: json.output)) == [])
      #expect(json.output.contains("\"valuesLeft\":2"), "\(json.output)")
      let last = try tandem.run("sync", laptop, "--folder", folder, "--large-values", "always")
      #expect(last.status == 0 && last.output.contains("2 large values received"), "\(last)")
      #expect(try values(laptop).count == 2)
      #expect(try tandem.run("sync", laptop, "--folder", folder).output == "nothing to do: the sides are equal\n")
    }
  }

  @Test func `a device that leaves values lists, compares, edits and deletes all the same`() throws {
    try withDevices(pictureBytes: 200_000) { phone, laptop, folder throws in
      try insert(Data(repeating: 7, count: 300_000), 2, phone)
      #expect(try tandem.run("sync", phone, "--folder", folder).status == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder, "--large-values", "on-demand").status == 0)
      let id = RecordID(high: 1, low: 1).description
      let other = RecordID(high: 1, low: 2).description

      let table = try tandem.run("query", laptop, "Picture")
      #expect(table.status == 0 && table.output.contains("not on this device"), "\(table)")
      let ids = try tandem.run("query", laptop, "Picture", "--json", "--fields", "@id,name")
      #expect(ids.lines == ["{\"@id\":\"\(id)\",\"name\":null}", "{\"@id\":\"\(other)\",\"name\":null}"], "\(ids)")
      let refused = try tandem.run("query", laptop, "Picture", "--json")
      #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
      #expect(refused.trouble.contains("the value of bytes of Picture \(id) is not on this device"), "\(refused)")
      #expect(refused.trouble.hasSuffix(", or name other fields by --fields\n"), "\(refused)")
      let dump = try tandem.run("dump", laptop)
      #expect(dump.status == 2 && dump.trouble.contains("the value of bytes of Picture \(id)"), "\(dump)")

      // Equal without being there; and a value that is not there is no null either.
      #expect(try tandem.run("diff", phone, laptop).output == "no record differs\n")
      #expect(try tandem.run("backup", laptop, laptop + ".backup").status == 0)
      let emptied = "{\"@entity\":\"Picture\",\"@id\":\"\(other)\",\"bytes\":null}"
      #expect(try tandem.run("load", laptop, "--into", input: emptied).output == "0 inserted, 1 updated, 0 unchanged\n")
      let difference = try tandem.run("diff", laptop, laptop + ".backup", "--json")
      #expect(difference.lines.count == 1 && difference.output.contains("{\"field\":\"bytes\",\"first\":null}"))
      #expect(try JSONSchema(of: "diff").violations(of: JSON(parsing: difference.output)) == [])
      let shown = try tandem.run("diff", laptop, laptop + ".backup")
      #expect(shown.output.contains("bytes: nothing → not on this device"), "\(shown)")

      let edit = try tandem.run("edit", laptop, id, "name=Alps")
      #expect(edit.status == 0, "\(edit)")
      let named = "{\"@entity\":\"Picture\",\"@id\":\"\(id)\",\"name\":\"Jura\"}"
      #expect(try tandem.run("load", laptop, "--into", input: named).output == "0 inserted, 1 updated, 0 unchanged\n")
      // The other device has the value still, and gets the name.
      #expect(try tandem.run("sync", laptop, "--folder", folder, "--large-values", "on-demand").status == 0)
      #expect(try tandem.run("sync", phone, "--folder", folder).status == 0)
      let whole = try tandem.run("query", phone, "Picture", "--where", "@id = '\(id)'", "--json")
      #expect(whole.status == 0 && whole.output.contains("Jura") && whole.output.utf8.count > 200_000)
      let preview = try tandem.run("delete", laptop, "Picture", "--where", "name = 'Jura'", "--dry-run")
      #expect(preview.status == 0 && preview.output.contains("Picture \(id) Jura"), "\(preview)")
      #expect(try tandem.run("delete", laptop, id).output == "1 record (1 Picture) deleted\n")
    }
  }

  @Test func `the live page shows a record whose value has not come, and edits the rest of it`() throws {
    try withDevices(pictureBytes: 200_000) { phone, laptop, folder throws in
      #expect(try tandem.run("sync", phone, "--folder", folder).status == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder, "--large-values", "on-demand").status == 0)
      let path = JSON.string("\(laptop)/\(Self.place).store")
      let id = JSON.string(RecordID(high: 1, low: 1).description)
      let page = try LivePageRun(try #require(path.stringValue), "--read-write")
      let rows = try page.ask("records", ["store": path, "entity": .string("Picture")])["rows"]
      #expect(rows?.arrayValue?.first?["cells"] == .array([.string("not on this device"), .null]), "\(rows ?? .null)")
      let edited = ["store": path, "id": id, "fields": .object([.init("name", .string("Alps"))])] as JSON
      _ = try page.ask("edit", edited)
      let fields = try page.ask("record", ["store": path, "id": id])["fields"]?.arrayValue ?? []
      #expect(fields.map { $0["missing"]?.boolValue } == [true, false], "\(fields)")
      #expect(fields.map { $0["shown"]?.stringValue } == ["not on this device", "Alps"], "\(fields)")
      #expect(page.process.end(by: SIGINT) == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      #expect(try values(laptop).count == 1)
    }
  }

  @Test func `a sync with a bound says what it leaves, ends with exit code 1, and the next ones go on`() throws {
    try withDevices(pictureBytes: 200_000) { phone, laptop, folder throws in
      try insert(Data(repeating: 7, count: 300_000), 2, phone)
      var statuses: [Int32] = []
      for device in [phone, laptop] {
        repeat {
          let outcome = try tandem.run("sync", device, "--folder", folder, "--maximum-bytes", "1K", "--json")
          #expect(try JSONSchema(of: "sync").violations(of: JSON(parsing: outcome.output)) == [])
          statuses.append(outcome.status)
        } while statuses.last == 1 && statuses.count < 20
      }
      // A change set and two values; three files to take.
      #expect(statuses == [1, 1, 0, 1, 1, 0])
      #expect(try values(laptop).count == 2)
      try insert(Data(repeating: 8, count: 300_000), 3, phone)
      let text = try tandem.run("sync", phone, "--folder", folder, "--maximum-bytes", "1000")
      #expect(
        text.lines.last
          == "\(Self.place): 1 file of 300000 bytes is left to the next synchronisation, for this one may move no more",
        "\(text)")
      let wrong = try tandem.run("sync", phone, "--folder", folder, "--maximum-bytes", "much")
      #expect(wrong.status == 2, "\(wrong)")
    }
  }

  @Test func `a key is not replaced while large values would be lost with it`() throws {
    try withDevices(pictureBytes: 200_000) { phone, laptop, folder throws in
      let made = try tandem.run("key", "new", phone)
      let code = try #require(made.lines.first { $0.hasPrefix("recovery code: ") }).dropFirst(15)
      let joined = try tandem.run(
        "key", "join", laptop, "--only", Self.place, "--recovery-code", input: "\(code)\n")
      #expect(made.status == 0 && joined.status == 0, "\(joined)")
      #expect(try tandem.run("sync", phone, "--folder", folder).status == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder, "--large-values", "on-demand").status == 0)
      let key = try tandem.run("key", "show", laptop).output
      let refused = try tandem.run("key", "rotate", laptop, "--invitations", folder + "-invitations")
      #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
      #expect(refused.trouble.contains("--large-values always") && refused.trouble.contains("--accept-loss"))
      #expect(try tandem.run("key", "show", laptop).output == key)
      #expect(!FileManager.default.fileExists(atPath: folder + "-invitations"))
      #expect(try tandem.run("sync", laptop, "--folder", folder, "--large-values", "always").status == 0)
      #expect(try tandem.run("key", "rotate", laptop).status == 0)
      #expect(try tandem.run("sync", laptop, "--folder", folder).status == 0)
      #expect(try files(".tlv", below: folder).count == 1)
    }
  }

  @Test func `another word than those of the option is refused`() throws {
    try withDevices(pictureBytes: 200_000) { phone, laptop, _ throws in
      let outcome = try tandem.run("sync", phone, laptop, "--large-values", "never")
      #expect(outcome.status == 2 && outcome.trouble.contains("on-demand"), "\(outcome)")
    }
  }

  @Test func `a sync that is interrupted leaves each large value whole or not at all`() throws {
    try withDevices(pictureBytes: 24 << 20) { phone, laptop, folder throws in
      for device in [phone, laptop] {
        for delay in [0, 20, 40, 60, 80, 120, 200] {
          let running = try tandem.start("sync", device, "--folder", folder)
          // Whenever it comes, there is a whole file or none.
          usleep(useconds_t(delay * 1000))
          let status = running.end(by: SIGINT)
          #expect([0, 130, -SIGINT].contains(status))
          // Before it listens to signals, it has begun nothing.
          #expect(try files(".partial", below: folder) == [])
          let placing = try FileManager.default.subpathsOfDirectory(atPath: device).filter {
            $0.contains("/blobs/placing/")
          }
          #expect(placing == [], "after \(delay) ms")
          for file in try files(".tlv", below: folder) {
            let size = try FileManager.default.attributesOfItem(atPath: folder + "/" + file)[.size] as? Int
            #expect(size == 24 << 20)
          }
        }
        let outcome = try tandem.run("sync", device, "--folder", folder)
        #expect(outcome.status == 0, "\(outcome)")
      }
      #expect(try values(laptop).count == 1)
    }
  }
}
