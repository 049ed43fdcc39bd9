import Foundation
import Testing

/// The sentences for people without rights. Needs a user that may become another one, and `setpriv`.
struct RightsTests {
  private static let setpriv = "/usr/bin/setpriv"

  private static var canBecomeAnother: Bool {
    let isPossible = getuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv)
    if !isPossible { print("not run: another user's process needs root and setpriv") }
    return isPossible
  }

  /// Runs a command line as nobody; `$STORE` is the store, `$FOLDER` what it lies in, `$TARGET` a folder of nobody's.
  private func run(_ command: String, _ shop: Shop) throws -> Tandem.Outcome {
    var tandem = Tandem()
    let target = shop.folder.appendingPathComponent("target")
    if !FileManager.default.fileExists(atPath: target.path) {
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: target.path)
    }
    tandem.environment = [
      "STORE": shop.path, "FOLDER": shop.folder.path, "TARGET": target.path, "TMPDIR": target.path,
    ]
    return try tandem.shell(
      "exec \(Self.setpriv) --reuid=65534 --regid=65534 --clear-groups \"$TANDEM\" \(command)")
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private static let looking = [
    "info $STORE", "query $STORE Item", "history $STORE", "check $STORE", "dump $STORE", "conflicts list $STORE",
    "list --suite group.example --in $STORE", "backup $STORE $TARGET/backup",
  ]
  private static let others = [
    "backups $STORE", "restore $STORE", "salvage $STORE $TARGET/new.store", "rebuild $STORE --from $TARGET",
    "put key value --suite group.example --in $STORE", "load $STORE $TARGET/lines --into",
    "insert $STORE Tag name=x", "edit $STORE \(Shop.fresh) name=x", "delete $STORE \(Shop.fresh)",
  ]

  @Test(.enabled(if: canBecomeAnother), arguments: looking + others)
  func `a person without rights reads one sentence about the store`(command: String) throws {
    try Shop.with { shop throws in
      try setMode(0o755, shop.folder.path)
      try setMode(0o700, shop.path)
      _ = try run("--version", shop)
      try Data("{\"@entity\":\"Tag\",\"name\":\"x\"}\n".utf8)
        .write(to: shop.folder.appendingPathComponent("target/lines"))
      let outcome = try run(command, shop)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.output == "")
      let sentence =
        "tandem: this user may not open the store at \(shop.path); run as its owner, or change the permissions of its "
        + "files"
      let end = command.hasPrefix("load") ? ", nothing was loaded\n" : "\n"
      #expect(outcome.trouble == sentence + end)
    }
  }

  @Test(
    .enabled(if: canBecomeAnother),
    arguments: looking.filter { !$0.hasPrefix("list") } + ["backups $STORE", "salvage $STORE $TARGET/new.store"])
  func `a store that nobody may write to is read by anybody with the right to read it`(command: String) throws {
    try Shop.with { shop throws in
      for name in try FileManager.default.contentsOfDirectory(atPath: shop.path) {
        try setMode(0o444, shop.path + "/" + name)
      }
      try setMode(0o555, shop.path)
      try setMode(0o755, shop.folder.path)
      let outcome = try run(command, shop)
      #expect(outcome.status == 0, "\(outcome)")
      try setMode(0o755, shop.path)
      for name in try FileManager.default.contentsOfDirectory(atPath: shop.path) {
        try setMode(0o644, shop.path + "/" + name)
      }
    }
  }

  @Test(.enabled(if: canBecomeAnother), arguments: looking.filter { !$0.hasPrefix("list") })
  func `a reader that may not enter itself reads why, and what to do`(command: String) throws {
    try Shop.with { shop throws in
      try setMode(0o755, shop.folder.path)
      try setMode(0o755, shop.path)
      for name in try FileManager.default.contentsOfDirectory(atPath: shop.path) {
        try setMode(0o644, shop.path + "/" + name)
      }
      let outcome = try run(command, shop)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(
        outcome.trouble == "tandem: this user may read the store at \(shop.path) but not write to its lock.mdb, where "
          + "every reader enters itself; let this user write to that file, or read a backup\n")
      try setMode(0o666, shop.path + "/lock.mdb")
      let allowed = try run(command, shop)
      #expect(allowed.status == 0, "the remedy: \(allowed)")
    }
  }

  @Test(
    .enabled(if: canBecomeAnother),
    arguments: [
      ("restore $STORE $FOLDER/closed/backup", "cannot look at FOLDER/closed/backup: Permission denied"),
      ("load $TARGET/new.store $FOLDER/closed/lines", "cannot look at FOLDER/closed/lines: Permission denied"),
      ("scenario run $FOLDER/closed/C01.json", "cannot look at FOLDER/closed/C01.json: Permission denied"),
      ("scenario run $FOLDER/closed", "cannot use FOLDER/closed: Permission denied"),
      ("check $FOLDER/closed", "cannot list the directory at FOLDER/closed: Permission denied"),
      ("dump $STORE --output $FOLDER/dump", "cannot create FOLDER/dump: check that its folder"),
      ("load $FOLDER/new.store $TARGET/dump", "cannot create FOLDER/new.store; check that its folder"),
      ("backup $STORE $FOLDER/backup", "cannot "),
    ])
  func `what lies where a person may not look, or write, is said by its path`(
    command: String, message: String
  ) throws {
    try Shop.with { shop throws in
      try setMode(0o755, shop.folder.path)
      try setMode(0o777, shop.path)
      for name in try FileManager.default.contentsOfDirectory(atPath: shop.path) {
        try setMode(0o666, shop.path + "/" + name)
      }
      _ = try run("dump $STORE --output $TARGET/dump", shop)
      let closed = shop.folder.appendingPathComponent("closed")
      try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: true)
      try setMode(0o700, closed.path)
      let outcome = try run(command, shop)
      #expect(outcome.status == 2, "\(outcome)")
      let expected = message.replacingOccurrences(of: "FOLDER", with: shop.folder.path)
      #expect(outcome.trouble.hasPrefix("tandem: \(expected)"), "\(outcome.trouble)")
      #expect(outcome.trouble.count { $0.isNewline } == 1, "\(outcome.trouble)")
      #expect(!outcome.trouble.contains("Domain"), "\(outcome.trouble)")
    }
  }
}
