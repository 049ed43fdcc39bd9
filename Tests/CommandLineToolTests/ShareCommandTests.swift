import Foundation
import HelperProcess
import RecordStore
import StoreInspection
import Testing

/// Sharing by the commands alone: founded, joined, read only, removed, left.
struct ShareCommandTests {
  private let tandem = Tandem()

  private struct People {
    var shop: Shop
    var root: String
    func path(_ name: String) -> String { root + "/" + name }
  }

  /// A phone with records, an empty laptop and tablet, and an empty folder.
  private func withPeople(_ body: (People) throws -> Void) throws {
    try Shop.with { shop throws in
      let people = People(shop: shop, root: shop.folder.path)
      for name in ["phone", "laptop", "tablet", "folder"] {
        try FileManager.default.createDirectory(atPath: people.path(name), withIntermediateDirectories: true)
      }
      try shop.create(at: URL(fileURLWithPath: people.path("phone/group.example/shop.store")), isFilled: true)
      try body(people)
    }
  }

  @discardableResult
  private func done(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> Tandem.Outcome
  {
    let outcome = try tandem.run(arguments: arguments)
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
    return outcome
  }

  private func refusal(_ arguments: String...) throws -> String {
    let outcome = try tandem.run(arguments: arguments)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.trouble.split(separator: "\n").count == 1, "\(outcome.trouble)")
    return outcome.trouble
  }

  /// The answer of a command, held to its schema.
  private func answer(_ command: String, _ arguments: String...) throws -> JSON {
    let outcome = try tandem.run(arguments: [command] + arguments + ["--json"])
    #expect(outcome.status == 0, "\(outcome)")
    let json = try JSON(parsing: outcome.output)
    #expect(try JSONSchema(of: command).violations(of: json) == [])
    return json
  }

  private func records(_ device: String) throws -> [Substring] {
    try tandem.run("dump", device).output.split(separator: "\n").dropFirst().sorted()
  }

  private func change(_ device: String, price: String) throws {
    let line = #"{"@entity":"Item","@id":"\#(Shop.soap)","price":"\#(price)"}"#
    let outcome = try tandem.run(
      arguments: ["load", "--into", device + "/group.example/shop.store"], input: line)
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// To remove the person again, as the sentence asked, was refused: nobody of the name was invited any more.
  @Test(.enabled(if: MachineCommand.succeeds("unshare", "-rm", "true")))
  func `a removal whose invitations cannot be written says whom to invite anew`() throws {
    try withPeople { people throws in
      let phone = people.path("phone")
      for name in ["Bob", "Cid"] { try done("share", phone, "--invite", name, "--output", people.path(name)) }
      try FileManager.default.createDirectory(atPath: people.path("new"), withIntermediateDirectories: false)
      let outcome = try tandem.shell(
        """
        export PHONE='\(phone)' NEW='\(people.path("new"))'
        unshare -rm bash -c 'mount -t tmpfs -o nr_inodes=1 tmpfs "$NEW" &&
          "$TANDEM" share "$PHONE" --remove Cid --invitations "$NEW"'
        """)
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
      for part in [
        "Cid is removed and the key is new", "No space left",
        "'tandem share --invitations' writes that of Bob anew",
      ] {
        #expect(outcome.trouble.contains(part), "\(outcome)")
      }
      #expect(!outcome.trouble.contains("run it again"), "\(outcome)")
      #expect(
        try refusal("share", phone, "--remove", "Cid", "--invitations", people.path("new")).contains("it has Bob"))
      try done("share", phone, "--invite", "Bob", "--output", people.path("Bob anew"))
    }
  }

  /// The next run said only that nobody has the name, and inviting one by one made a writer of a reader.
  @Test func `after a removal that was killed before its invitations were written, the next run names the remedy`()
    throws
  {
    try withPeople { people throws in
      let (phone, laptop, folder) = (people.path("phone"), people.path("laptop"), people.path("folder"))
      try done("share", phone, "--invite", "Bob", "--reader", "--output", people.path("bob"))
      try done("share", phone, "--invite", "Cid", "--output", people.path("cid"))
      #expect(try done("share", phone, "--members").trouble == "")
      try done("join", people.path("bob"), "--device", laptop)
      try done("share", phone, "--remove", "Cid", "--invitations", people.path("lost"))
      try FileManager.default.removeItem(atPath: people.path("lost"))
      let refused = try refusal("share", phone, "--remove", "Cid", "--invitations", people.path("lost"))
      #expect(refused.contains("it has Bob") && refused.contains("'tandem share --invitations'"), "\(refused)")
      let members = try done("share", phone, "--members")
      #expect(members.trouble.contains("'tandem share --invitations'"), "\(members)")
      let written = try answer("share", phone, "--invitations", people.path("new"))["written"]?.arrayValue
      let letters = try #require(written).compactMap(\.stringValue)
      try #require(letters.count == 1)
      #expect(try answer("join", letters[0], "--device", laptop)["role"] == .string("reader"))
      for device in [phone, laptop] { try done("sync", device, "--folder", folder) }
      #expect(try records(laptop) == records(phone))
      #expect(try refusal("share", laptop, "--invitations", people.path("more")).contains("only the device"))
    }
  }

  @Test func `two people and a reader share a store, and who is removed gets nothing more`() throws {
    try withPeople { people throws in
      let (phone, laptop, tablet, folder) = (
        people.path("phone"), people.path("laptop"), people.path("tablet"), people.path("folder")
      )
      let bob = try answer(
        "share", phone, "--name", "Annegret", "--invite", "Bertram", "--output", people.path("bob"), "--folder", folder)
      #expect(bob["isFounder"] == .bool(true) && bob["written"] == .array([.string(people.path("bob"))]))
      _ = try answer("share", phone, "--invite", "Eve", "--reader", "--output", people.path("eve"))
      for name in ["bob", "eve"] {
        let mode = try FileManager.default.attributesOfItem(atPath: people.path(name))[.posixPermissions] as? Int
        #expect(mode == 0o600)
      }
      let joined = try answer("join", people.path("bob"), "--device", laptop)
      #expect(
        joined["key"] == bob["key"] && joined["role"] == .string("writer") && joined["meeting"] == .string(folder))
      let reading = try answer("join", people.path("eve"), "--device", tablet)
      #expect(reading["role"] == .string("reader"))
      for device in [phone, laptop, tablet] { try done("sync", device, "--folder", folder) }
      #expect(try records(laptop) == records(phone) && records(tablet) == records(phone))
      try change(laptop, price: "7.25")
      try change(tablet, price: "1.00")
      let kept = try done("sync", tablet, "--folder", folder)
      #expect(kept.trouble.contains("only reads in its family"), "\(kept)")
      for device in [laptop, phone] { try done("sync", device, "--folder", folder) }
      #expect(try records(laptop) == records(phone) && records(tablet) != records(phone))
      let hidden = PlainWords(PlainWords.shop.words + ["Annegret", "Bertram"])
      #expect(try hidden.places(in: folder) == [])

      #expect(
        try tandem.run("status", phone).output.contains("founded here by Annegret, with Bertram (writer), Eve (reader)")
      )
      #expect(try tandem.run("status", tablet).output.contains("shared: Annegret invited this device as a reader"))
      let standing = try JSON(parsing: tandem.run("status", laptop, "--json").output)
      #expect(try JSONSchema(of: "status").violations(of: standing) == [])
      #expect(standing.arrayValue?.first?["sharing"]?["role"] == .string("writer"))

      let list = try done("share", phone, "--members").lines
      #expect(
        list.dropFirst() == ["writer  Annegret, founder, here", "writer  Bertram", "reader  Eve", "meets at \(folder)"])
      let removed = try answer("share", phone, "--remove", "Bertram", "--invitations", people.path("new"))
      let letters = try #require(removed["written"]?.arrayValue).compactMap(\.stringValue)
      #expect(letters.count == 1 && removed["key"] != bob["key"])
      try done("sync", phone, "--folder", folder)
      let refused = try tandem.run("sync", laptop, "--folder", folder)
      #expect(refused.status == 1 && refused.trouble.contains("a member was removed"), "\(refused)")
      try done("join", letters[0], "--device", tablet)
      try done("sync", tablet, "--folder", folder)
      #expect(try refusal("join", people.path("eve"), "--device", tablet).contains("older than"))
    }
  }

  @Test func `a store with records joins only when a person says so`() throws {
    try withPeople { people throws in
      let (phone, laptop, folder) = (people.path("phone"), people.path("laptop"), people.path("folder"))
      try people.shop.create(at: URL(fileURLWithPath: laptop + "/group.example/shop.store"), isFilled: true)
      try done("share", phone, "--invite", "Bob", "--output", people.path("bob"))
      let sentence = try refusal("join", people.path("bob"), "--device", laptop)
      #expect(sentence.contains("--yes") && sentence.contains("records already"), "\(sentence)")
      #expect(!FileManager.default.fileExists(atPath: laptop + "/group.example/shop.family"))
      try done("sync", phone, "--folder", folder)
      try done("join", people.path("bob"), "--device", laptop, "--yes")
      // Again, into the family to which it belongs by now.
      try done("join", people.path("bob"), "--device", laptop)
      for device in [laptop, phone] { try done("sync", device, "--folder", folder) }
      #expect(try records(laptop) == records(phone))
    }
  }

  @Test func `leaving keeps the records, and a founder has to mean it`() throws {
    try withPeople { people throws in
      let (phone, laptop, folder) = (people.path("phone"), people.path("laptop"), people.path("folder"))
      try done("share", phone, "--invite", "Bob", "--output", people.path("bob"))
      try done("join", people.path("bob"), "--device", laptop)
      for device in [phone, laptop] { try done("sync", device, "--folder", folder) }
      let before = try records(laptop)
      #expect(try answer("leave", laptop)["isShared"] == .bool(false))
      #expect(try records(laptop) == before)
      #expect(try refusal("leave", laptop).contains("not shared"))
      #expect(try refusal("leave", phone).contains("--yes"))
      #expect(try answer("share", phone, "--members")["isShared"] == .bool(true))
      try done("leave", phone, "--yes")
      #expect(try done("share", phone, "--members").output == "group.example/shop: not shared\n")
    }
  }

  @Test func `wrong input is told in one sentence, and nothing is done`() throws {
    try withPeople { people throws in
      let (phone, laptop) = (people.path("phone"), people.path("laptop"))
      #expect(try refusal("share", laptop).contains("no store"))
      #expect(try refusal("share", people.path("typo")).contains("no store"))
      #expect(try refusal("join", people.path("typo"), "--device", laptop).contains("typo"))
      #expect(try refusal("leave", phone).contains("not shared"))
      try Data("x".utf8).write(to: URL(fileURLWithPath: people.path("taken")))
      #expect(
        try refusal("share", phone, "--invite", "Bob", "--output", people.path("taken")).contains("is there already"))
      #expect(try refusal("join", people.path("taken"), "--device", laptop).contains("new invitation"))
      #expect(!FileManager.default.fileExists(atPath: phone + "/group.example/shop.family"))
      try done("share", phone, "--invite", "Bob", "--output", people.path("bob"))
      #expect(
        try refusal("share", phone, "--remove", "Carl", "--invitations", people.path("new")).contains("it has Bob"))
      #expect(try refusal("share", phone, "--remove", "Bob", "--invitations", phone).contains("not empty"))
      try done("join", people.path("bob"), "--device", laptop)
      #expect(
        try refusal("share", laptop, "--invite", "Eve", "--output", people.path("eve")).contains("only the device"))
      #expect(!FileManager.default.fileExists(atPath: people.path("eve")))
      #expect(try refusal("key", "new", phone).contains("is shared"))
      let wrong = try tandem.run("sync", laptop, "--folder", people.path("folder"))
      #expect(wrong.status == 1 && wrong.trouble.contains("was invited to"), "\(wrong)")
    }
  }

  @Test func `no answer tells the parameters of a remote, of which some are secrets`() throws {
    try withPeople { people in
      let (phone, letter, remote) = (people.path("phone"), people.path("bob"), ":webdav,url=x,pass=hunter22:books")
      let invited = try done("share", phone, "--name", "Ann", "--invite", "Bob", "--output", letter, "--remote", remote)
      let members = try done("share", phone, "--members")
      let json = try done("share", phone, "--members", "--json")
      #expect(members.output.contains("meets at :webdav,…:books"), "\(members)")
      for outcome in [invited, members, json] {
        #expect(!(outcome.output + outcome.trouble).contains("hunter22"), "\(outcome)")
      }
      // Where it is used, it is whole, as one word of a shell.
      let joined = try done("join", letter, "--device", people.path("laptop"))
      #expect(joined.trouble.contains("tandem sync \(people.path("laptop")) --remote \(remote)"), "\(joined)")
      #expect(!joined.output.contains("hunter22"), "\(joined)")
    }
  }

  @Test func `a passphrase protects an invitation on its way`() throws {
    try withPeople { people throws in
      let secret = people.path("passphrase")
      try Data("a long passphrase\n".utf8).write(to: URL(fileURLWithPath: secret))
      try done(
        "share", people.path("phone"), "--invite", "Bob", "--output", people.path("bob"), "--passphrase-file", secret)
      #expect(
        try refusal("join", people.path("bob"), "--device", people.path("laptop")).contains("--passphrase-file"))
      try done("join", people.path("bob"), "--device", people.path("laptop"), "--passphrase-file", secret)
    }
  }
}
