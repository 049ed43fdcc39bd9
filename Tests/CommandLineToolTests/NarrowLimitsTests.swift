import Foundation
import RecordStore
import TestSupport
import Testing

/// Limits that a person or a system sets to processes.
struct NarrowLimitsTests {
  private let tandem = Tandem()

  /// The library that hands out work waits, once a second and for ever, for a thread that the system refuses.
  @Test(arguments: [
    "info STORE", "check STORE", "query STORE Item", "backup STORE made.backup", "put x y", "sync one two --create",
  ])
  func `whatever the limit of memory, a command ends with its answer or one sentence`(command: String) throws {
    let limits =
      TestLength.isLong
      ? [140, 160, 180, 200, 220, 240, 260, 280, 300, 340, 400, 500, 700, 1000, 2000]
      : [140, 180, 210, 240, 270, 300, 400, 2000]
    try Shop.with { shop throws in
      // What cannot even load its libraries is not asked for a sentence.
      let outcome = try Tandem(environment: ["TANDEM_CONTAINER_ROOT": shop.folder.path], folder: shop.folder).shell(
        """
        mkdir -p one/group.example two && cp -r shop.store one/group.example/
        for limit in \(limits.map(String.init).joined(separator: " ")); do
          rm -rf made.backup
          ulimit -S -v $((limit * 1000))
          timeout -s KILL 60 "$TANDEM" \(command.replacingOccurrences(of: "STORE", with: "shop.store")) \
            >out 2>trouble </dev/null
          echo "$limit $? $(grep -c "^tandem: " trouble) $(grep -c "loading shared libraries" trouble)"
          ulimit -S -v unlimited
        done
        """)
      let lines = outcome.lines.filter { !$0.hasSuffix(" 1") }
      #expect(outcome.lines.count == limits.count && lines.count > (limits.count + 1) / 2, "\(outcome)")
      for line in lines {
        let words = line.split(separator: " ")
        #expect(words[1] == "0" || ["1", "2"].contains(words[1]) && words[2] == "1", "\(command) \(line)")
      }
      #expect(lines.last?.split(separator: " ")[1] == "0", "\(outcome)")
    }
  }

  /// `tandem` asked for its threads before it needed one, and the examples waited for theirs.
  @Test(.enabled(if: canLimitThreads), arguments: ["tandem", "mysubguard", "mysubguard-widget", "astrosvitla"])
  func `a program that can have no threads says so`(program: String) throws {
    // A limit of processes counts for nobody with the rights of root.
    let outcome = try tandem.shell(
      """
      timeout -s KILL 60 bash -c 'ulimit -u 1; [ $(id -u) != 0 ] || other="setpriv --reuid 65534 --clear-groups"
        exec $other "$(dirname "$TANDEM")/\(program)" --version'
      """)
    #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.trouble.hasPrefix("\(program): the system has no room for the "), "\(outcome)")
    #expect(outcome.trouble.contains("ulimit -u") && outcome.trouble.filter { $0 == "\n" }.count == 1, "\(outcome)")
  }

  private static let canLimitThreads: Bool = {
    do {
      let script = #"[ $(id -u) != 0 ] || setpriv --reuid 65534 --clear-groups test -x "$TANDEM""#
      return try Tandem().shell(script).status == 0
    } catch {
      return false
    }
  }()

  /// LMDB tells of a write that the limit cut short as it tells of a device that fails. The store was then said to lie
  /// on a full or a broken disk, and refused every process that had it open.
  @Test func `a limit of file sizes is named, and others go on to save`() throws {
    let limits = TestLength.isLong ? [20, 50, 100, 150, 300, 600, 1000, 1500] : [20, 100, 400, 1500]
    try Shop.with { shop throws in
      let store = try RecordStore.open(StoreConfiguration(url: shop.url, createsIfMissing: false))
      let lines = (0..<20_000).map { #"{"@entity":"Tag","name":"number \#($0)"}"# }
      try lines.joined(separator: "\n").write(
        to: shop.folder.appending(path: "tags.jsonl"), atomically: true, encoding: .utf8)
      let outcome = try Tandem(folder: shop.folder).shell(
        """
        "$TANDEM" import filled.store tags.jsonl >/dev/null
        for limit in \(limits.map(String.init).joined(separator: " ")); do
          for command in "import shop.store tags.jsonl" "import new.store tags.jsonl" "export filled.store a.sqlite"; do
            (ulimit -f $limit; exec "$TANDEM" $command) 2>&1 >/dev/null | tr '\\n' ' '
            echo "$limit ${PIPESTATUS[0]} $command"
          done
        done
        """)
      for line in outcome.lines {
        #expect(line.contains("ulimit -f") && line.contains(" 2 "), "\(line)")
      }
      #expect(outcome.lines.count == 3 * limits.count, "\(outcome)")
      _ = try store.commit(SaveRequest(author: "ada", changes: [.delete(entity: 1, id: Shop.bread)]))
    }
  }
}
