import Foundation
import HelperProcess
import RecordStore
import Testing

/// Work that was cut off: the next run of the same kind does it, and takes away what is left.
struct KilledWorkTests {
  private let tandem = Tandem()

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Kills work in its middle. On a busy machine it may be done before this process sees that it has begun: again then.
  ///
  /// - Parameter leavesPartial: Whether nobody takes away what was begun. The process that works for a salvage may have
  ///   done so before this one looks.
  private func kill(making place: String, leavesPartial: Bool = true, _ start: () throws -> RunningTandem) throws {
    let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
    for _ in 0..<50 {
      let running = try start()
      while try running.isRunning && !hasPartial(folder) { sched_yield() }
      let isKilled = running.isRunning && running.end(by: SIGKILL) == -SIGKILL
      if isKilled, try leavesPartial ? hasPartial(folder) : !FileManager.default.fileExists(atPath: place) { return }
      if FileManager.default.fileExists(atPath: place) { try FileManager.default.removeItem(atPath: place) }
    }
    Issue.record("the work was done each time before it could be killed")
  }

  private func hasPartial(_ folder: URL) throws -> Bool { try names(folder).contains { $0.hasSuffix(".partial") } }

  /// A store, a file and a copy of somebody's SQLite file stayed for ever, each in a place of its own.
  @Test func `the next import and export take away what a killed one has left`() throws {
    try Shop.with { shop throws in
      let file = try shop.makeLargeFile()
      let temporary = shop.folder.appendingPathComponent("temporary")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
      let tandem = Tandem(environment: ["TMPDIR": temporary.path])
      let store = shop.folder.appendingPathComponent("large.store").path
      try kill(making: store) { try tandem.start("import", store, file) }
      #expect(try hasPartial(shop.folder) && hasPartial(temporary))
      #expect(try tandem.run("import", store, file).status == 0)
      #expect(try !hasPartial(shop.folder) && !hasPartial(temporary))
      for form in [["out.sqlite"], ["--csv", "out"], ["--json-lines", "out.jsonl"]] {
        let place = shop.folder.appendingPathComponent(form[form.count - 1]).path
        let words = ["export", store] + form.dropLast() + [place]
        try kill(making: place) { try tandem.start(arguments: words) }
        let again = try tandem.run(arguments: words)
        #expect(again.status == 0, "\(again)")
        #expect(try !hasPartial(shop.folder), "\(form)")
      }
    }
  }

  /// The process that read the damaged store went on without the one that a person had started: a second salvage met
  /// its result, and was refused.
  @Test func `a salvage whose process is killed ends, leaves nothing, and is done by the next one`() throws {
    try Shop.with { shop throws in
      let store = shop.folder.appendingPathComponent("large.store").path
      #expect(try tandem.run("import", store, shop.makeLargeFile()).status == 0)
      let before = try names(shop.folder)
      let new = shop.folder.appendingPathComponent("salvaged.store").path
      try kill(making: new, leavesPartial: false) { try tandem.start("salvage", store, new) }
      let deadline = ContinuousClock.now + .seconds(60)
      while try hasPartial(shop.folder), ContinuousClock.now < deadline { sched_yield() }
      #expect(try names(shop.folder) == before)
      let again = try tandem.run("salvage", store, new)
      #expect(again.status == 0, "\(again)")
    }
  }

  /// The process that works for it ended first, and that one's code took the place of the signal's.
  @Test(arguments: [SIGINT, SIGHUP]) func `a salvage that is asked to end says by which signal`(signal: Int32) throws {
    try Shop.with { shop throws in
      let store = shop.folder.appendingPathComponent("large.store").path
      #expect(try tandem.run("import", store, shop.makeLargeFile()).status == 0)
      let new = shop.folder.appendingPathComponent("salvaged.store").path
      for _ in 0..<12 {
        let running = try tandem.start("salvage", store, new)
        while try running.isRunning && !hasPartial(shop.folder) { sched_yield() }
        let status = running.end(by: signal)
        #expect(status == 0 || status == 128 + signal)
        #expect(try FileManager.default.fileExists(atPath: new) == (status == 0) && !hasPartial(shop.folder))
        if status == 0 { try FileManager.default.removeItem(atPath: new) }
      }
    }
  }

  /// The watch for the parent came too late on a busy machine: the store appeared, and the next salvage was refused.
  @Test func `a salvage whose process is gone before it is done gives nothing its name`() throws {
    try Shop.with { shop throws in
      let new = shop.folder.appendingPathComponent("salvaged.store").path
      for _ in 0..<5 {
        let ended = Pipe()
        try ended.fileHandleForWriting.close()
        let running = try tandem.start("salvage", shop.path, new, "--here", input: ended)
        #expect(running.waitForEnd() == 128 + SIGTERM)
        #expect(try names(shop.folder).filter { $0.hasPrefix("salvaged") } == [])
      }
    }
  }

  /// Between the first look at a folder or file under way and the word that it is to be removed, a signal left it.
  @Test func `work that is asked to end as soon as it has begun leaves nothing`() throws {
    try Shop.with { shop throws in
      let file = try shop.makeLargeFile()
      let temporary = shop.folder.appendingPathComponent("temporary")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
      let tandem = Tandem(environment: ["TMPDIR": temporary.path])
      let place = { shop.folder.appendingPathComponent($0).path }
      let (store, dump, table) = (place("large.store"), place("dump.jsonl"), place("large.csv"))
      #expect(try tandem.run("import", store, file).status == 0)
      #expect(try tandem.run("dump", store, "-o", dump).status == 0)
      #expect(try tandem.run("export", store, "--csv", place("tables")).status == 0)
      let tables = try names(URL(fileURLWithPath: place("tables"))).filter { $0.hasSuffix(".csv") }
      try FileManager.default.copyItem(atPath: place("tables/\(tables[0])"), toPath: table)
      let before = try names(shop.folder)
      for words in [
        ["salvage", store, place("new.store")], ["load", place("new.store"), dump],
        ["import", place("new.store"), file],
        ["import", place("new.store"), table, "--entity", "t"], ["export", store, place("new.sqlite")],
        ["export", store, "--csv", place("new")], ["dump", store, "-o", place("new.jsonl")],
      ] {
        for _ in 0..<4 {
          let running = try tandem.start(arguments: words)
          while try running.isRunning && !hasPartial(shop.folder) && !hasPartial(temporary) { sched_yield() }
          let status = running.end(by: SIGTERM)
          let isDone = status == 0
          #expect(isDone || status == 128 + SIGTERM, "\(words)")
          #expect(try names(temporary) == [], "\(words)")
          let made = try names(shop.folder).filter { !before.contains($0) }
          #expect(made.isEmpty == !isDone && !made.contains { $0.hasSuffix(".partial") }, "\(words): \(made)")
          for name in made { try FileManager.default.removeItem(atPath: place(name)) }
        }
      }
    }
  }

  /// The runner of the tests may ignore the signal, and a shell cannot take that back.
  private static let canSignal = MachineCommand.succeeds("env", "--default-signal=XFSZ", "true")

  /// A signal ended the program without a sentence, and what it had begun stayed.
  @Test(.enabled(if: canSignal))
  func `a limit of file sizes is told in a sentence with its remedy, and nothing stays`() throws {
    try Shop.with { shop throws in
      let place = { "'\(shop.folder.appendingPathComponent($0).path)'" }
      let (store, lines, backup) = (place("large.store"), place("large.jsonl"), place("large.backup"))
      let file = try shop.makeLargeFile()
      let made = try tandem.shell(
        """
        "$TANDEM" import \(store) '\(file)' && "$TANDEM" dump \(store) -o \(lines) && \
        "$TANDEM" backup \(store) \(backup)
        """)
      #expect(made.status == 0, "\(made)")
      let before = try names(shop.folder)
      for command in [
        "backup \(store) \(place("b"))", "load \(place("n.store")) \(lines)", "import \(place("n.store")) \(lines)",
        "dump \(store) -o \(place("d"))", "export \(store) --csv \(place("c"))",
        "export \(store) --json-lines \(place("j"))", "salvage \(store) \(place("n.store"))",
        "restore \(place("n.store")) \(backup)",
      ] {
        let outcome = try tandem.shell("ulimit -f 16; exec env --default-signal=XFSZ \"$TANDEM\" \(command)")
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(command): \(outcome)")
        #expect(outcome.trouble.split(separator: "\n").count == 1, "\(command): \(outcome)")
        #expect(outcome.trouble.contains("ulimit -f"), "\(command): \(outcome)")
        #expect(try names(shop.folder) == before, "\(command)")
      }
    }
  }

  /// No process has a number beyond 4,194,304 (Linux: PID_MAX_LIMIT).
  private let ofKilled = "1.999999999.partial"

  /// Beside change sets, which were looked after, they stayed for ever.
  @Test func `a synchronisation takes away what a killed one has left of heads and snapshots`() throws {
    try Shop.with { shop throws in
      let (phone, exchange) = (
        shop.folder.appendingPathComponent("phone"), shop.folder.appendingPathComponent("folder")
      )
      try FileManager.default.createDirectory(at: exchange, withIntermediateDirectories: false)
      try shop.create(at: phone.appendingPathComponent("group.example/shop.store"), isFilled: true)
      func left() throws -> [String] {
        try [phone, exchange].flatMap { root in
          try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(ofKilled) }
        }
      }
      #expect(try tandem.run("sync", phone.path, "--folder", exchange.path).status == 0)
      var count = 0
      for root in [phone, exchange] {
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
        where [".tcs", ".thd", ".tsm", ".tsc"].contains(where: path.hasSuffix) {
          let file = root.appendingPathComponent(path)
          let partial = file.deletingLastPathComponent().appendingPathComponent(
            ".\(file.lastPathComponent).\(ofKilled)")
          try Data(contentsOf: file).prefix(20).write(to: partial)
          count += 1
        }
      }
      #expect(try left().count == count && count > 3)
      #expect(try tandem.run("sync", phone.path, "--folder", exchange.path).status == 0)
      #expect(try left() == [])
    }
  }

  /// Beside the file, the secret outlived its removal.
  @Test func `a key that is written takes away what a killed process has left of one`() throws {
    try Shop.with { shop throws in
      let group = shop.folder.appendingPathComponent("phone/group.example")
      try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
      try shop.create(at: group.appendingPathComponent("shop.store"), isFilled: true)
      #expect(try tandem.run("key", "new", group.deletingLastPathComponent().path).status == 0)
      let key = try Data(contentsOf: group.appendingPathComponent("shop.key"))
      for name in [".shop.key.\(ofKilled)", ".other.key.\(ofKilled)"] {
        try key.write(to: group.appendingPathComponent(name))
      }
      #expect(try tandem.run("key", "rotate", group.deletingLastPathComponent().path).status == 0)
      #expect(try names(group).filter { $0.hasSuffix(".partial") } == [".other.key.\(ofKilled)"])
    }
  }

  private static let canMount = MachineCommand.succeeds("unshare", "-rm", "true")

  /// The lock file had no room on the disk, and was written to through memory: a signal ended the process, and the
  /// sentence was that the store is damaged.
  @Test(.enabled(if: canMount)) func `on a disk of whatever size a new store is made, or the disk is called full`()
    throws
  {
    try Shop.with { shop throws in
      let dump = shop.folder.appendingPathComponent("dump").path
      #expect(try tandem.run("dump", shop.path, "-o", dump).status == 0)
      let disk = shop.folder.appendingPathComponent("disk")
      try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
      let outcome = try tandem.shell(
        """
        export DISK='\(disk.path)' DUMP='\(dump)'
        unshare -rm bash -c '
          for size in $(seq 4 4 160); do
            mount -t tmpfs -o size=${size}k tmpfs "$DISK"
            "$TANDEM" load "$DISK/new.store" "$DUMP" >"$DUMP.out" 2>&1
            echo "$size $? $(grep -c "No space left on device\\|is full" "$DUMP.out") $(ls -A "$DISK")"
            umount "$DISK"
          done'
        """)
      let lines = outcome.lines
      #expect(lines.count == 40, "\(outcome)")
      for line in lines {
        let words = line.split(separator: " ")
        #expect(
          words.count > 2 && words[1] == "0" && words[3...] == ["new.store"] || words[1...] == ["2", "1"], "\(line)")
      }
      #expect(lines.last?.contains(" 0 0 new.store") == true, "\(outcome)")
    }
  }

  @Test(.enabled(if: canMount))
  func `a full disk is named by what lies on it, and nothing stays there`() throws {
    try Shop.with { shop throws in
      let store = shop.folder.appendingPathComponent("large.store").path
      #expect(try tandem.run("import", store, shop.makeLargeFile()).status == 0)
      let backup = shop.folder.appendingPathComponent("large.backup").path
      #expect(try tandem.run("backup", store, backup).status == 0)
      let disk = shop.folder.appendingPathComponent("disk")
      try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
      for command in ["backup '\(store)' $DISK/b", "restore $DISK/r.store '\(backup)'", "export '\(store)' $DISK/e"] {
        let outcome = try tandem.shell(
          """
          export DISK='\(disk.path)'
          unshare -rm bash -c 'mount -t tmpfs -o size=300k tmpfs "$DISK" && "$TANDEM" \(
            command.replacingOccurrences(of: "'", with: "\""))
          status=$?; ls -A "$DISK"; exit $status'
          """)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(command): \(outcome)")
        #expect(outcome.trouble.contains(disk.path), "\(command): \(outcome)")
        #expect(!outcome.trouble.contains(store), "\(command): \(outcome)")
      }
    }
  }
}
