import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

/// `tandem status` and `tandem retire`: what a person learns, and what a script gets.
struct StatusTests {
  private let tandem = Tandem()

  private func withDevices(_ body: (Shop, _ phone: String, _ laptop: String) throws -> Void) throws {
    try Shop.with { shop throws in
      let (phone, laptop) = (shop.folder.path + "/phone", shop.folder.path + "/laptop")
      for device in [phone, laptop] {
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: true)
      }
      try shop.create(at: URL(fileURLWithPath: phone + "/group.example/shop.store"), isFilled: true)
      try body(shop, phone, laptop)
      for device in [phone, laptop] where FileManager.default.fileExists(atPath: device + "/group.example") {
        #expect(try tandem.run("check", device).status == 0)
      }
    }
  }

  private func edit(_ device: String, price: String) throws {
    let line = "{\"entity\":\"Item\",\"id\":\"\(Shop.bread)\",\"fields\":{\"price\":\"\(price)\"}}\n"
    #expect(try tandem.run("load", device, "--into", input: line).status == 0)
  }

  /// The members of one store's status; the first store of the device.
  private func status(_ device: String) throws -> JSON {
    let outcome = try tandem.run("status", device, "--json")
    guard case .array(let stores) = try JSON(parsing: outcome.output), let first = stores.first?["status"] else {
      Issue.record("no status: \(outcome)")
      return .null
    }
    return first
  }

  private func replicas(_ device: String) throws -> [JSON] {
    guard case .array(let replicas)? = try status(device)["replicas"] else { return [] }
    return replicas
  }

  @Test func `what is saved and not sent is told with what to do, and exit code 1, until all is settled`() throws {
    try withDevices { _, phone, laptop throws in
      let alone = try tandem.run("status", phone)
      #expect(alone.status == 1)
      #expect(alone.output.contains("2 transactions saved here and not sent yet; run 'tandem sync'"), "\(alone)")
      #expect(alone.trouble.isEmpty)
      try tandem.run("sync", phone, laptop)
      for device in [phone, laptop] {
        let settled = try tandem.run("status", device)
        #expect(settled.status == 0, "\(settled)")
        #expect(settled.lines.first == "group.example/shop")
        #expect(settled.output.contains("this device"))
      }
      #expect(try replicas(laptop).count == 2)
      try edit(laptop, price: "5")
      #expect(try tandem.run("status", laptop).status == 1)
    }
  }

  @Test func `nothing is changed by asking`() throws {
    try withDevices { _, phone, laptop throws in
      try tandem.run("sync", phone, laptop)
      let data = URL(fileURLWithPath: phone + "/group.example/shop.store/data.mdb")
      // The first opening brings to the store what the synchronisation has left in the log.
      try tandem.run("status", phone)
      let before = try Data(contentsOf: data)
      let files = try FileManager.default.subpathsOfDirectory(atPath: phone).sorted()
      try tandem.run("status", phone)
      #expect(try Data(contentsOf: data) == before)
      #expect(try FileManager.default.subpathsOfDirectory(atPath: phone).sorted() == files)
    }
  }

  @Test func `a copied device goes on under another id, is told of it, and its old id can be retired`() throws {
    try withDevices { shop, phone, laptop throws in
      try tandem.run("sync", phone, laptop)
      let tablet = shop.folder.path + "/tablet"
      try FileManager.default.copyItem(atPath: phone, toPath: tablet)
      let outcome = try tandem.run("sync", tablet, laptop)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.trouble.contains("the store was copied, or restored from a backup: it goes on as replica"))
      #expect(try !tandem.run("sync", tablet, laptop).trouble.contains("was copied"))
      let before = try replicas(tablet).filter { $0["isFormer"] == .bool(true) }
      #expect(before.count == 1)
      let id = try #require(before.first?["id"]?.stringValue)
      #expect(try tandem.run("status", tablet).output.contains("this device before"))
      // The phone itself goes on as what it was.
      try edit(phone, price: "8")
      #expect(try tandem.run("sync", phone, laptop).status == 0)
      #expect(try replicas(phone).contains { $0["id"]?.stringValue == id && $0["isOwn"] == .bool(true) })

      let retired = try tandem.run("retire", tablet, id.uppercased())
      #expect(retired.output == "group.example/shop: replica \(id) is retired\n", "\(retired)")
      #expect(try replicas(tablet).contains { $0["id"]?.stringValue == id && $0["isRetired"] == .bool(true) })
    }
  }

  @Test(arguments: [
    (["retire", "phone", "nonsense"], "nonsense is no replica id; 'tandem status phone' lists them"),
    (["retire", "phone", "0000000000000009"], "0000000000000009"),
    (["retire", "nobody", "0000000000000009"], "there is no device directory at"),
    (["status", "nobody"], "there is no device directory at"),
    (["status", "empty"], "empty holds no store"),
    (["status", "phone/group.example/shop.store/data.mdb"], "is a file; a device directory is a folder"),
    (["sync", "phone", "nobody"], "there is no device directory at"),
    (["sync", "phone", "phone"], "name two different ones"),
    (["sync", "phone", "empty", "--watch"], "--watch needs --folder"),
    (["conflicts", "list", "nobody"], "nobody"),
    (["conflicts", "list", "phone", "--record", "12"], "--record takes a record's id"),
    (["conflicts", "show", "phone", "12"], "there is no entry 12 in the conflict log"),
    (["conflicts", "restore", "phone", "12"], "there is no entry 12 in the conflict log"),
    (["load", "new.store", "missing.jsonl"], "there is no file missing.jsonl; check the path"),
    (["load", "new.store", "empty"], "empty is a folder; name a file that 'tandem dump' has written"),
    (["scenario", "run", "missing.json"], "missing.json"),
  ])
  func `wrong input is one sentence of ours, and exit code 2`(arguments: [String], sentence: String) throws {
    try withDevices { shop, _, _ throws in
      try FileManager.default.createDirectory(atPath: shop.folder.path + "/empty", withIntermediateDirectories: true)
      var tandem = tandem
      tandem.folder = shop.folder
      let outcome = try tandem.run(arguments: arguments)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.trouble.contains(sentence), "\(outcome.trouble)")
      #expect(
        !outcome.trouble.contains("NSCocoa") && !outcome.trouble.contains("operation couldn"), "\(outcome.trouble)")
      #expect(!FileManager.default.fileExists(atPath: shop.folder.path + "/new.store"))
    }
  }

  @Test func `retire answers programs, and a second time it is true still`() throws {
    try withDevices { _, phone, laptop throws in
      try tandem.run("sync", phone, laptop)
      let id = try #require(replicas(phone).first { $0["isOwn"] == .bool(false) }?["id"]?.stringValue)
      for _ in 0..<2 {
        let outcome = try tandem.run("retire", phone, id, "--json")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try JSON(parsing: outcome.output)["retired"]?.stringValue == id)
      }
      let table = try tandem.run("status", phone)
      #expect(table.output.contains("retired"), "\(table)")
    }
  }

  /// The clock of the phone is set a day ahead by a save from within the test.
  @Test func `a clock that is ahead is named, with what to do`() throws {
    try withDevices { shop, phone, laptop throws in
      try tandem.run("sync", phone, laptop)
      var configuration = StoreConfiguration(url: URL(fileURLWithPath: phone + "/group.example/shop.store"))
      configuration.clock = WallClock(name: "ahead") { WallClock.system.now() + 10 * 3_600_000 }
      let store = try RecordStore.open(configuration)
      let item = try #require(try store.read { $0.catalogue.entity(named: "Item") })
      let price = try #require(item.field(named: "price")).ordinal
      _ = try store.commit(
        SaveRequest(changes: [.update(entity: item.number, id: Shop.bread, fields: [FieldWrite(price, .decimal(7))])]))
      #expect(try tandem.run("sync", phone, laptop).status == 0)
      let outcome = try tandem.run("status", laptop)
      #expect(outcome.output.contains("edits bear times up to 9 hours ahead of this device's clock"), "\(outcome)")
      #expect(try status(laptop)["clockAheadMilliseconds"] != nil)
    }
  }

  /// Two copies of a disk, which nothing beside the store tells apart, were both used before they met.
  @Test func `both sides of a fork are kept, and what lost between them is in the log of both`() throws {
    try withDevices { shop, phone, laptop throws in
      try tandem.run("sync", phone, laptop)
      let twin = shop.folder.path + "/twin"
      try FileManager.default.copyItem(atPath: phone, toPath: twin)
      for (device, value) in [(phone, 7), (twin, 8)] {
        var configuration = StoreConfiguration(url: URL(fileURLWithPath: device + "/group.example/shop.store"))
        configuration.confirmsIdentity = false
        let store = try RecordStore.open(configuration)
        let item = try #require(try store.read { $0.catalogue.entity(named: "Item") })
        let price = try #require(item.field(named: "price")).ordinal
        _ = try store.commit(
          SaveRequest(changes: [
            .update(entity: item.number, id: Shop.bread, fields: [FieldWrite(price, .decimal(Decimal(value)))])
          ]))
      }
      let outcome = try tandem.run("sync", phone, twin)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.trouble.contains("both went on from transaction 2: both are taken"), "\(outcome.trouble)")
      try tandem.run("sync", phone, twin)
      for device in [phone, twin] {
        let list = try tandem.run("conflicts", "list", device, "--json")
        #expect(list.lines.count == 1, "\(device): \(list)")
        let fields = try JSON(parsing: list.output)["fields"]
        #expect("\(fields ?? .null)".contains("7") && "\(fields ?? .null)".contains("8"), "\(list)")
      }
      #expect(try tandem.run("sync", phone, twin).output == "nothing to do: the sides are equal\n")
      #expect(
        try tandem.run("dump", phone).output.split(separator: "\n").dropFirst().sorted()
          == tandem.run("dump", twin).output.split(separator: "\n").dropFirst().sorted())
    }
  }

  private static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  @Test(.enabled(if: hasScript, "the command `script` makes the terminal"), arguments: [60, 80])
  func `status fits a small terminal`(columns: Int) throws {
    try withDevices { _, phone, laptop throws in
      try tandem.run("sync", phone, laptop)
      try edit(phone, price: "5")
      var tandem = tandem
      tandem.environment = ["TERM": "xterm", "NO_COLOR": "1"]
      tandem.environment["LINE"] = "stty cols \(columns); \"$TANDEM\" status '\(phone)'"
      let text = try tandem.shell("script --quiet --return --command \"$LINE\" /dev/null </dev/null").output
        .replacingOccurrences(of: "\r", with: "")
      let lines = text.split(separator: "\n")
      #expect(lines.count > 4, "\(text)")
      #expect(lines.allSatisfy { $0.count <= columns }, "\(text)")
    }
  }
}
