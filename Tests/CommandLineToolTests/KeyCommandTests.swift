import Foundation
import HelperProcess
import RecordStore
import StoreInspection
import Synchronization
import Testing

/// A family's key by the commands alone: made, handed on, replaced, and what devices without it are told.
struct KeyCommandTests {
  private let tandem = Tandem()

  private struct Devices {
    var shop: Shop
    var phone: String
    var laptop: String
    /// Through which they meet.
    var folder: String
    func path(_ name: String) -> String { shop.folder.path + "/" + name }
  }

  /// Two devices that have met, the first of which has a key, and an empty folder.
  private func withDevices(_ body: (Devices) throws -> Void) throws {
    try Shop.with { shop throws in
      let paths = ["phone", "laptop", "folder"].map { shop.folder.path + "/" + $0 }
      for path in paths { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
      try shop.create(at: URL(fileURLWithPath: paths[0] + "/group.example/shop.store"), isFilled: true)
      try expectDone("sync", paths[0], paths[1])
      try expectDone("key", "new", paths[0])
      try body(Devices(shop: shop, phone: paths[0], laptop: paths[1], folder: paths[2]))
    }
  }

  @discardableResult
  private func expectDone(
    _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Tandem.Outcome {
    let outcome = try tandem.run(arguments: arguments, input: input)
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
    return outcome
  }

  private func refusal(_ arguments: String..., input: String = "") throws -> String {
    let outcome = try tandem.run(arguments: arguments, input: input)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.trouble.split(separator: "\n").count == 1, "\(outcome.trouble)")
    return outcome.trouble
  }

  /// What a command about keys answers, held to its schema.
  private func answer(_ command: String, _ arguments: String...) throws -> JSON {
    let outcome = try tandem.run(arguments: ["key", command] + arguments + ["--json"])
    #expect(outcome.status == 0, "\(outcome)")
    let json = try JSON(parsing: outcome.output)
    #expect(try JSONSchema(of: "key \(command)").violations(of: json) == [])
    return json
  }

  private func handOver(_ devices: Devices) throws {
    let recipient = try #require(try answer("join", devices.laptop)["recipient"]?.stringValue)
    let invitation = devices.path("laptop.age")
    let handed = try answer("add-device", devices.phone, recipient, "--name", "laptop", "--output", invitation)
    #expect(handed["written"] == .array([.string(invitation)]))
    let joined = try answer("join", devices.laptop, invitation)
    #expect(joined["key"] == handed["key"])
  }

  private func records(_ device: String) throws -> [Substring] {
    try tandem.run("dump", device).output.split(separator: "\n").dropFirst().sorted()
  }

  @Test func `devices that are added at the same time are all noted`() throws {
    try withDevices { devices in
      let names = (1...6).map { "device\($0)" }
      let recipients = try names.map { name in
        let path = devices.path(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return try #require(try answer("join", path, "--only", "group.example/shop")["recipient"]?.stringValue)
      }
      let outcomes = Mutex<[Result<Int32, any Error>]>([])
      DispatchQueue.concurrentPerform(iterations: names.count) { index in
        let outcome = Result {
          try tandem.run(
            arguments: [
              "key", "add-device", devices.phone, recipients[index], "--name", names[index],
              "--output", devices.path(names[index] + ".age"),
            ]
          ).status
        }
        outcomes.withLock { $0.append(outcome) }
      }
      #expect(try outcomes.withLock { $0 }.map { try $0.get() } == names.map { _ in 0 })
      let noted = try answer("show", devices.phone)["devices"]?.arrayValue ?? []
      #expect(noted.compactMap { $0["name"]?.stringValue }.sorted() == names)
    }
  }

  @Test func `a key is made once, shown without its secret, and hands itself on`() throws {
    try withDevices { devices throws in
      #expect(try refusal("key", "new", devices.phone).contains("'tandem key rotate' replaces it"))
      let shown = try answer("show", devices.phone)
      #expect(shown["recoveryCode"] == nil && shown["ageIdentity"] == nil)
      let secret = try answer("show", devices.phone, "--secrets")
      #expect(secret["recoveryCode"]?.stringValue?.hasPrefix("TANDEM-KEY-1") == true)
      #expect(try refusal("key", "show", devices.laptop).contains("'tandem key join'"))
      try handOver(devices)
      let file = devices.phone + "/group.example/shop.key"
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test func `two devices meet in a folder that shows nothing, and one without the key is refused`() throws {
    try withDevices { devices throws in
      try expectDone("sync", devices.phone, "--folder", devices.folder)
      let refused = try tandem.run("sync", devices.laptop, "--folder", devices.folder)
      #expect(refused.status == 1)
      #expect(refused.trouble.contains("tandem key join"), "\(refused.trouble)")
      try handOver(devices)
      let line = #"{"@entity":"Item","@id":"\#(Shop.soap)","price":"7.25"}"#
      try expectDone("load", "--into", devices.phone + "/group.example/shop.store", input: line)
      try expectDone("sync", devices.phone, "--folder", devices.folder)
      try expectDone("sync", devices.laptop, "--folder", devices.folder)
      #expect(try records(devices.phone) == records(devices.laptop))
      #expect(try PlainWords.shop.places(in: devices.folder) == [])
    }
  }

  @Test(.enabled(if: MachineCommand.succeeds("unshare", "-rm", "true")))
  func `a key whose invitations cannot be written is replaced all the same, and the sentence says so`() throws {
    try withDevices { devices throws in
      try handOver(devices)
      try FileManager.default.createDirectory(atPath: devices.path("new"), withIntermediateDirectories: false)
      let before = try answer("show", devices.phone)["key"]
      let outcome = try tandem.shell(
        """
        export PHONE='\(devices.phone)' NEW='\(devices.path("new"))'
        unshare -rm bash -c 'mount -t tmpfs -o nr_inodes=1 tmpfs "$NEW" &&
          "$TANDEM" key rotate "$PHONE" --invitations "$NEW"'
        """)
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
      for part in ["the key is replaced", "No space left", "to laptop with 'tandem key add-device'"] {
        #expect(outcome.trouble.contains(part), "\(outcome)")
      }
      #expect(try answer("show", devices.phone)["key"] != before)
    }
  }

  @Test func `a lost device is forgotten, and the others go on in the same folder`() throws {
    try withDevices { devices throws in
      try handOver(devices)
      let lost = devices.path("lost")
      try FileManager.default.createDirectory(atPath: lost, withIntermediateDirectories: true)
      let code = try #require(try answer("show", devices.phone, "--secrets")["recoveryCode"]?.stringValue)
      try expectDone("key", "join", lost, "--only", "group.example/shop", "--recovery-code", input: code + "\n")
      let recipient = try #require(try answer("show", lost)["recipient"]?.stringValue)
      let invitation = devices.path("lost.age")
      _ = try answer("add-device", devices.phone, recipient, "--name", "lost", "--output", invitation)
      for device in [devices.phone, devices.laptop, lost] { try expectDone("sync", device, "--folder", devices.folder) }
      #expect(try records(lost) == records(devices.phone))
      #expect(try refusal("key", "forget", devices.phone, "nobody").contains("lost"))
      let replaced = try answer("forget", devices.phone, "lost", "--invitations", devices.path("new"))
      let paths = try #require(replaced["written"]?.arrayValue).compactMap(\.stringValue)
      #expect(paths.count == 1)
      try expectDone("sync", devices.phone, "--folder", devices.folder)
      #expect(try tandem.run("sync", lost, "--folder", devices.folder).status == 1)
      #expect(try refusal("key", "join", lost, paths[0]).contains("another device"))
      try expectDone("key", "join", devices.laptop, paths[0])
      try expectDone("sync", devices.laptop, "--folder", devices.folder)
      #expect(try records(devices.laptop) == records(devices.phone))
      #expect(try answer("rotate", devices.phone)["key"] != replaced["key"])
    }
  }

  @Test func `a passphrase protects the key file, and a sync asks for it`() throws {
    try Shop.with { shop throws in
      let (phone, folder) = (shop.folder.path + "/phone", shop.folder.path + "/folder")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try shop.create(at: URL(fileURLWithPath: phone + "/group.example/shop.store"), isFilled: true)
      let secret = shop.folder.path + "/passphrase"
      try Data("a long passphrase\n".utf8).write(to: URL(fileURLWithPath: secret))
      try expectDone("key", "new", phone, "--passphrase-file", secret)
      #expect(try refusal("key", "show", phone).contains("--passphrase-file"))
      let refused = try tandem.run("sync", phone, "--folder", folder)
      #expect(refused.status == 1 && refused.trouble.contains("--passphrase-file"), "\(refused)")
      try expectDone("sync", phone, "--folder", folder, "--passphrase-file", secret)
    }
  }

  @Test func `a store is rebuilt from an encrypted folder`() throws {
    try withDevices { devices throws in
      try expectDone("sync", devices.phone, "--folder", devices.folder)
      let before = try records(devices.phone)
      let store = devices.phone + "/group.example/shop.store"
      for name in ["shop.store", "shop.exchange"] {
        try FileManager.default.removeItem(atPath: devices.phone + "/group.example/" + name)
      }
      try expectDone("rebuild", store, "--from", devices.folder)
      #expect(try records(devices.phone) == before)
    }
  }

  /// It was said to hold no files, so people looked for another one.
  @Test func `a rebuild with a key says of a folder in clear that it is not encrypted`() throws {
    try Shop.with { shop throws in
      let (phone, folder) = (shop.folder.path + "/phone", shop.folder.path + "/folder")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let store = phone + "/group.example/shop.store"
      try shop.create(at: URL(fileURLWithPath: store), isFilled: true)
      try expectDone("sync", phone, "--folder", folder)
      try expectDone("key", "new", phone)
      for name in ["shop.store", "shop.exchange"] {
        try FileManager.default.removeItem(atPath: phone + "/group.example/" + name)
      }
      #expect(try refusal("rebuild", store, "--from", folder).contains("shop.store in \(folder) are not encrypted"))
      try expectDone("key", "new", phone, "--only", "group.example/other")
      #expect(
        try refusal("rebuild", phone + "/group.example/other.store", "--from", folder).contains("holds no files of"))
    }
  }

  @Test func `wrong input is told in one sentence`() throws {
    try withDevices { devices throws in
      #expect(
        try refusal("key", "add-device", devices.phone, "age1nonsense", "--name", "x", "--output", devices.path("x"))
          .contains("recipient"))
      #expect(!FileManager.default.fileExists(atPath: devices.path("x")))
      #expect(try refusal("key", "join", devices.laptop, devices.path("missing")).contains("cannot read"))
      #expect(
        try refusal("key", "join", devices.laptop, "--recovery-code", input: "TANDEM-KEY-1ABC\n").contains(
          "recovery code"))
      #expect(
        try refusal("key", "show", devices.phone, "--passphrase-file", devices.path("none")).contains("passphrase"))
      #expect(try refusal("key", "new", devices.folder).contains("--only"))
    }
  }
}
