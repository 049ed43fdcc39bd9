import Foundation
import HelperProcess
import RecordStore
import TestSupport
import Testing

/// Stores that cannot be used: each gets one sentence with the remedy, a non-zero exit, and stays as it was.
struct BadInputTests {
  private let tandem = Tandem()

  /// Commands that meet a store in different ways.
  static let commands: [[String]] = [
    ["info"], ["dump"], ["query", "Item"], ["history"], ["conflicts", "list"], ["load", "--into"],
  ]

  /// The command's words with the store in its place.
  private func run(_ command: [String], on path: String, _ tandem: Tandem = Tandem()) throws -> Tandem.Outcome {
    let words = command.first == "conflicts" ? 2 : 1
    let line = command.prefix(words) + ["'\(path)'"] + command.dropFirst(words)
    return try tandem.shell("\"$TANDEM\" \(line.joined(separator: " ")) </dev/null")
  }

  private func expectRefusal(
    _ outcome: Tandem.Outcome, _ parts: String..., status: Int32 = 2, location: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == status, "\(outcome)", sourceLocation: location)
    #expect(outcome.output.isEmpty, "\(outcome)", sourceLocation: location)
    #expect(outcome.trouble.hasPrefix("tandem: "), "\(outcome)", sourceLocation: location)
    #expect(outcome.trouble.split(separator: "\n").count == 1, "\(outcome)", sourceLocation: location)
    for part in parts {
      #expect(outcome.trouble.contains(part), "'\(part)' is not in: \(outcome.trouble)", sourceLocation: location)
    }
  }

  /// Every file below a folder with its bytes. LMDB's lock file is left out: readers enter themselves there.
  private func files(in folder: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix("lock.mdb") {
      let url = folder.appendingPathComponent(name)
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      files[name] = isDirectory.boolValue ? Data() : try Data(contentsOf: url)
    }
    return files
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-bad-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do {
        try FileManager.default.removeItem(at: folder)
      } catch {
        Issue.record("could not remove \(folder.path): \(error)")
      }
    }
    try body(folder)
  }

  @Test(arguments: commands.filter { $0[0] != "load" })
  func `a store that is not there`(command: [String]) throws {
    try withFolder { folder throws in
      let outcome = try run(command, on: folder.appendingPathComponent("no.store").path)
      expectRefusal(outcome, "no.store", "check the path")
      #expect(try files(in: folder).isEmpty)
    }
  }

  /// The folder that one is in took its place: `man` filled that, and other sentences had a gap.
  @Test(arguments: [
    "info ''", "schema ''", "query '' X", "history ''", "diff '' x", "diff x ''", "check ''", "sync '' x", "sync x ''",
    "sync x --folder ''", "status ''", "retire '' 0000000000000001", "conflicts list ''", "dump ''", "dump x -o ''",
    "load '' x", "load x ''", "export '' x", "export x ''", "export x --csv ''", "export x --json-lines ''",
    "import '' x", "import x ''", "backup '' x", "backup x ''", "backups ''", "restore '' x", "restore x ''",
    "salvage '' x", "salvage x ''", "rebuild '' --from x", "rebuild x --from ''", "get --device '' x",
    "put --device '' x y", "put --in '' x y", "list --device ''", "watch --device ''", "suites list --device ''",
    "suites import ''", "man ''", "serve ''", "shell ''", "key new ''", "key show ''", "share ''", "join ''",
    "leave ''", "scenario run ''", "insert '' X a=1", "edit '' x a=1", "delete '' x",
  ])
  func `an empty path is named as such`(command: String) throws {
    try withFolder { folder throws in
      let outcome = try Tandem(folder: folder).shell("\"$TANDEM\" \(command) </dev/null")
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.trouble.contains("a path has at least one character"), "\(outcome)")
      #expect(try files(in: folder).isEmpty)
    }
  }

  /// A watch of it waited for ever.
  @Test(arguments: ["get ''", "watch ''", "watch a ''", "remove ''", "put '' x", "increment ''"])
  func `an empty key is refused`(command: String) throws {
    try withFolder { folder throws in
      let outcome = try Tandem(folder: folder).shell("\"$TANDEM\" \(command) --device . </dev/null")
      #expect(outcome.status == 2 && outcome.trouble.contains("a key has at least one character"), "\(outcome)")
      #expect(try files(in: folder).isEmpty)
    }
  }

  /// An empty line was printed for each record, or the order was left out.
  @Test(arguments: ["--fields ''", "--fields ,", "--sort ''", "--sort ' , '", "--group-by ''"])
  func `a list of fields without a name is refused`(option: String) throws {
    try Shop.with { shop throws in
      let outcome = try Tandem(folder: shop.folder).shell("\"$TANDEM\" query shop.store Item \(option)")
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.trouble.contains("\(option.prefix { $0 != " " }) names no field"), "\(outcome)")
    }
  }

  /// The sentence named a hidden folder, and asked for a store to be created.
  @Test(arguments: [
    "backup shop.store no/new", "backup shop.store file/new", "restore no/new shop.backup",
    "export shop.store file/new", "dump shop.store -o file/new", "salvage shop.store file/new",
  ])
  func `a place without a folder around it is named, and nothing hidden`(command: String) throws {
    try Shop.with { shop throws in
      let tandem = Tandem(folder: shop.folder)
      #expect(try tandem.run("backup", "shop.store", "shop.backup").status == 0)
      try Data("x".utf8).write(to: shop.folder.appendingPathComponent("file"))
      let outcome = try tandem.shell("\"$TANDEM\" \(command)")
      expectRefusal(outcome, "/new: ", "check that the folder around it is there")
      #expect(!outcome.trouble.contains("/."), "\(outcome)")
    }
  }

  /// It was called a file.
  @Test func `a link in a circle is no folder of a device`() throws {
    try withFolder { folder throws in
      try FileManager.default.createSymbolicLink(
        atPath: folder.appendingPathComponent("circle").path, withDestinationPath: "circle")
      for words in [["sync", "circle", "x"], ["status", "circle"]] {
        let outcome = try Tandem(folder: folder).run(arguments: words)
        expectRefusal(outcome, "circle is no folder", "a device directory is a folder")
      }
    }
  }

  @Test(arguments: ["put x", "suites import", "load new.store", "insert shop.store Item"])
  func `a closed standard input is named`(command: String) throws {
    try Shop.with { shop throws in
      let outcome = try Tandem(environment: ["TANDEM_CONTAINER_ROOT": shop.folder.path], folder: shop.folder)
        .shell("\"$TANDEM\" \(command) <&-")
      expectRefusal(outcome, "input", "Bad file descriptor")
      #expect(!outcome.trouble.contains("a file:"), "\(outcome)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path) == ["shop.store"])
    }
  }

  @Test func `no name steers the terminal, in an answer or a sentence of the parser`() throws {
    try Shop.with { shop throws in
      let name = "a\n\u{1B}[31mred"
      let place = shop.folder.appendingPathComponent(name).path
      let dump = try tandem.run("dump", shop.path).output
      for outcome in [
        try tandem.run("load", place, input: dump), try tandem.run("info", shop.path, place),
        try tandem.run("join", place, place), try tandem.run("info", shop.path, "--\(name)"),
      ] {
        #expect(!(outcome.output + outcome.trouble).contains("\u{1B}"), "\(outcome)")
        #expect((outcome.output + outcome.trouble).contains("a\\n\\u{1b}[31mred"), "\(outcome)")
      }
    }
  }

  @Test(arguments: commands.filter { $0[0] != "load" })
  func `a directory with other files`(command: [String]) throws {
    try withFolder { folder throws in
      try Data("letters".utf8).write(to: folder.appendingPathComponent("letter.txt"))
      let before = try files(in: folder)
      expectRefusal(try run(command, on: folder.path), folder.path)
      #expect(try files(in: folder) == before)
    }
  }

  @Test(arguments: commands.filter { $0[0] != "load" })
  func `a text file in the place of the data`(command: [String]) throws {
    try withFolder { folder throws in
      try Data(String(repeating: "all work and no play ", count: 1000).utf8)
        .write(to: folder.appendingPathComponent("data.mdb"))
      let before = try files(in: folder)
      expectRefusal(try run(command, on: folder.path), folder.path, "not a store")
      #expect(try files(in: folder) == before)
    }
  }

  @Test func `an LMDB file of another program`() throws {
    try withFolder { folder throws in
      let helper = try HelperProcess("create-database", folder.path, "theirs")
      try helper.expect("created")
      #expect(try helper.finish() == 0)
      let before = try files(in: folder)
      expectRefusal(try run(["info"], on: folder.path), folder.path, "another program")
      #expect(try files(in: folder) == before)
    }
  }

  @Test func `a file in the place of a directory`() throws {
    try withFolder { folder throws in
      let file = folder.appendingPathComponent("notes.store")
      try Data("mine".utf8).write(to: file)
      expectRefusal(try run(["info"], on: file.path), file.path)
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }
  }

  @Test(arguments: commands.filter { $0[0] != "load" })
  func `a store of a newer format`(command: [String]) throws {
    try Shop.with { shop throws in
      let original = try Data(contentsOf: shop.dataFile)
      try patch(shop.dataFile, after: "TANDEMST") { bytes, place in bytes[place] = 99 }
      let before = try files(in: shop.url)
      expectRefusal(try run(command, on: shop.path), "format 99", "this build reads up to 3", "update")
      #expect(try files(in: shop.url) == before)
      try original.overwrite(shop.dataFile)
    }
  }

  @Test func `a flipped bit in a record`() throws {
    try Shop.with { shop throws in
      let original = try Data(contentsOf: shop.dataFile)
      try patch(shop.dataFile, after: "https://example.org/") { bytes, place in bytes[place] ^= 1 }
      let before = try files(in: shop.url)
      for command in [["query", "Item"], ["dump"]] {
        let outcome = try run(command, on: shop.path)
        #expect(outcome.status == 2)
        #expect(outcome.trouble.contains("tandem check"), "\(outcome.trouble)")
        #expect(outcome.trouble.split(separator: "\n").count == 1)
      }
      let check = try tandem.run("check", shop.path)
      #expect(check.status == 1)
      #expect(check.lines.first?.hasSuffix(": damaged") == true)
      #expect(check.output.contains("restore a backup"))
      #expect(try files(in: shop.url) == before)
      try original.overwrite(shop.dataFile)
    }
  }

  @Test func `pages that crash a reader end in a sentence`() throws {
    try Shop.with { shop throws in
      let original = try Data(contentsOf: shop.dataFile)
      // Every page that holds a record, an index or history, but for the list of tables, which the newest history lies
      // beside: the catalogue can be read, then readers fall.
      var bytes = original
      for page in stride(from: 8192, to: bytes.count, by: 4096) {
        let range = page..<page + 4096
        guard bytes.range(of: Data("Bread".utf8), in: range) != nil,
          bytes.range(of: Data("history\0tail".utf8), in: range) == nil
        else { continue }
        for place in range { bytes[place] = UInt8(truncatingIfNeeded: place &* 31 | 0x80) }
      }
      #expect(bytes != original)
      try bytes.overwrite(shop.dataFile)
      let query = try run(["query", "Item"], on: shop.path)
      expectRefusal(query, "damaged", "tandem check")
      let check = try tandem.run("check", shop.path)
      #expect(check.status == 1, "\(check)")
      #expect(check.lines.first?.hasSuffix(": damaged") == true, "\(check)")
      try original.overwrite(shop.dataFile)
    }
  }

  @Test func `a store cut short`() throws {
    try Shop.with { shop throws in
      let original = try Data(contentsOf: shop.dataFile)
      try original.prefix(8192 + 4096).overwrite(shop.dataFile)
      expectRefusal(try run(["query", "Item"], on: shop.path), "tandem check")
      try original.overwrite(shop.dataFile)
    }
  }

  @Test func `a store that another process is writing to`() throws {
    try Shop.with { shop throws in
      let holder = try HelperProcess("hold-writer-lock", shop.path)
      try holder.expect("held")
      let before = try files(in: shop.url)
      let line = "{\"entity\":\"List\",\"fields\":{\"name\":\"Office\"}}\n"
      let outcome = try tandem.run("load", shop.path, "--into", "--timeout", "0.2", input: line)
      expectRefusal(outcome, shop.path)
      #expect(try files(in: shop.url)["data.mdb"] == before["data.mdb"])
      // Readers are not stopped by a writer.
      #expect(try tandem.run("query", shop.path, "Item", "--count").output == "3\n")
    }
  }

  @Test(.enabled(if: canMount, "only root can mount a small file system"))
  func `a full disk`() throws {
    try Shop.with { shop throws in
      let before = try tandem.run("dump", shop.path).output
      var tandem = tandem
      tandem.folder = shop.folder
      let outcome = try tandem.shell(
        """
        unshare --mount bash -c '
          mkdir disk && mount -t tmpfs -o size=400k none disk && cp -r shop.store disk/ &&
          for i in $(seq 20000); do
            echo "{\\"entity\\":\\"List\\",\\"fields\\":{\\"name\\":\\"list number $i\\"}}"
          done | "$TANDEM" load disk/shop.store --into
          status=$?
          "$TANDEM" dump disk/shop.store >after && exit $status'
        """)
      expectRefusal(outcome, "disk/shop.store", "full", "free some space")
      #expect(try String(contentsOf: shop.folder.appendingPathComponent("after"), encoding: .utf8) == before)
    }
  }

  @Test(.enabled(if: canMount, "only root can mount a file system read-only"))
  func `a read-only disk`() throws {
    try Shop.with { shop throws in
      let before = try files(in: shop.url)
      var tandem = tandem
      tandem.folder = shop.folder
      tandem.environment["LINE"] = "{\"entity\":\"List\",\"fields\":{\"name\":\"Office\"}}"
      let outcome = try tandem.shell(
        """
        unshare --mount bash -c '
          mount --bind . . && cd . && mount -o remount,bind,ro "$PWD" && cd "$PWD" &&
          echo "$LINE" | "$TANDEM" load shop.store --into'
        """)
      expectRefusal(outcome, "shop.store", "read-only")
      #expect(try files(in: shop.url) == before)
    }
  }

  @Test(.enabled(if: canMount, "only root can pretend that the file system is another"))
  func `a network file system`() throws {
    try Shop.with { shop throws in
      let before = try files(in: shop.url)
      var tandem = tandem
      tandem.folder = shop.folder
      try Data("1 1 0:1 / / rw - nfs4 server:/home rw\n".utf8)
        .write(to: shop.folder.appendingPathComponent("mounts"))
      // Of a kind that the system's number does not tell to be local.
      try FileManager.default.createDirectory(
        at: shop.folder.appendingPathComponent("far"), withIntermediateDirectories: false)
      func run(_ options: String) throws -> Tandem.Outcome {
        try tandem.shell(
          """
          unshare --mount bash -c '
            mount -t ramfs ramfs far && cp -r shop.store far && mount --bind mounts /proc/$$/mountinfo &&
            exec "$TANDEM" info far/shop.store \(options)'
          """)
      }
      expectRefusal(try run(""), "network file system (nfs4)", "keep it on a local disk")
      #expect(try run("--unsafely-allow-network-file-system").status == 0)
      #expect(try files(in: shop.url) == before)
    }
  }

  @Test(arguments: ["../x", "x", "group..x", "/etc", ".group.x", ""])
  func `a group identifier that leads elsewhere`(identifier: String) throws {
    let outcome = try tandem.run("info", "default", "--group", identifier)
    expectRefusal(outcome, "is not a group identifier", "use a reverse-DNS name")
  }

  @Test func `a store's name that leads elsewhere`() throws {
    expectRefusal(try tandem.run("info", "../default", "--group", "group.org.example"), "is no name of a store")
  }

  @Test func `an unknown device directory`() throws {
    try Shop.with { shop throws in
      let before = try files(in: shop.folder)
      expectRefusal(
        try tandem.run("sync", shop.folder.path, "/nowhere/laptop"), "no device directory at /nowhere/laptop",
        "check the path")
      expectRefusal(try tandem.run("sync", "/nowhere/phone", "--folder", shop.folder.path), "/nowhere/phone")
      #expect(try files(in: shop.folder) == before)
    }
  }

  @Test(.enabled(if: canBecomeAnother, "needs root and setpriv"), arguments: ["check", "status", "info"])
  func `a device directory that belongs to somebody else`(command: String) throws {
    try withFolder { folder throws in
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
      let script = "setpriv --reuid=65534 --regid=65534 --clear-groups \"$TANDEM\" \(command) '\(folder.path)'"
      expectRefusal(try tandem.shell(script), "cannot list", folder.path, "Permission denied;")
    }
  }

  @Test func `one device directory twice, or two without stores`() throws {
    try withFolder { folder throws in
      expectRefusal(try tandem.run("sync", folder.path, folder.path + "/."), "both sides are the directory")
      for name in ["a", "b"] {
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
      }
      let outcome = try tandem.run("sync", folder.path + "/a", folder.path + "/b")
      expectRefusal(outcome, "hold no store", "<group>/<name>.store")
    }
  }

  @Test(arguments: ["check", "info"]) func `a folder of stores names them`(command: String) throws {
    try Shop.with { shop throws in
      try shop.create(at: shop.folder.appendingPathComponent("other.store"), isFilled: false)
      let outcome = try tandem.run(command, shop.folder.path)
      expectRefusal(
        outcome, "\(shop.folder.path) is no store, and holds 2 stores; name one of them: other.store, shop.store")
    }
  }

  @Test func `a device directory with several stores where one is wanted`() throws {
    try Shop.with { shop throws in
      let device = shop.folder.appendingPathComponent("phone")
      for name in ["one", "two"] {
        try shop.create(at: device.appendingPathComponent("group.example/\(name).store"), isFilled: false)
      }
      let outcome = try tandem.run("info", device.path)
      expectRefusal(outcome, "holds 2 stores; name one of them: group.example/one.store, group.example/two.store")
    }
  }

  private static var canBecomeAnother: Bool {
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
  }

  private static var canMount: Bool {
    guard geteuid() == 0 else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["unshare", "--mount", "true"]
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return false
    }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Changes the file at every place that follows some text; the text must occur.
  private func patch(_ file: URL, after text: String, _ change: (inout Data, Int) -> Void) throws {
    var bytes = try Data(contentsOf: file)
    var places: [Int] = []
    var rest = bytes.startIndex..<bytes.endIndex
    while let found = bytes.range(of: Data(text.utf8), in: rest) {
      places.append(found.upperBound)
      rest = found.upperBound..<bytes.endIndex
    }
    #expect(!places.isEmpty)
    for place in places { change(&bytes, place) }
    // In place: the inode, and with it the store's identity, stays.
    try bytes.overwrite(file)
  }
}
