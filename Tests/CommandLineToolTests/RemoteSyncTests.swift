import Foundation
import RecordStore
import StoreInspection
import Testing

/// `tandem sync --remote`, with a script in rclone's place that keeps its files in a folder.
struct RemoteSyncTests {
  /// Understands the calls of `tandem`; `TROUBLE` is printed as an error by the call that it names.
  private static let rclone = #"""
    #!/bin/bash
    command=$1; shift; list=; names=()
    while [ $# -gt 0 ]; do
      case $1 in
      --files-from-raw) list=$2; shift ;;
      --stats|--stats-log-level|--retries|--retries-sleep|--low-level-retries|--contimeout|--timeout) shift ;;
      --*) ;;
      *) names+=("${1/#box:/$SHELF/}") ;;
      esac
      shift
    done
    if [ "$command" = "$TROUBLE" ]; then echo "Failed: connection refused" >&2; exit 5; fi
    if [ "$command" = "$WAIT" ]; then touch "$SHELF.begun"; sleep 1000 & wait; fi
    case $command in
    lsjson)
      [ -d "${names[0]}" ] || exit 3
      cd "${names[0]}" || exit 3
      printf '['; find . -type f -printf '{"Path":"%P","Size":%s},' | sed 's/,$//'; printf ']' ;;
    copy)
      while IFS= read -r file; do
        [ -f "${names[0]}/$file" ] || continue
        mkdir -p "$(dirname "${names[1]}/$file")" && cp "${names[0]}/$file" "${names[1]}/$file" || exit 1
      done <"$list" ;;
    delete) while IFS= read -r file; do rm -f "${names[0]}/$file"; done <"$list" ;;
    esac
    """#

  private func withDevice(_ body: (Tandem, _ phone: String, _ laptop: String) throws -> Void) throws {
    try Shop.with { shop throws in
      let programs = shop.folder.appending(path: "programs")
      for name in ["phone", "laptop", "programs"] {
        try FileManager.default.createDirectory(
          at: shop.folder.appending(path: name), withIntermediateDirectories: true)
      }
      try Data(Self.rclone.utf8).write(to: programs.appending(path: "rclone"))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: programs.appending(path: "rclone").path)
      let phone = shop.folder.appending(path: "phone").path
      try shop.create(at: URL(fileURLWithPath: phone + "/group.example/shop.store"), isFilled: true)
      var tandem = Tandem()
      tandem.environment["PATH"] = "\(programs.path):/usr/bin:/bin"
      tandem.environment["SHELF"] = shop.folder.appending(path: "shelf").path
      try body(tandem, phone, shop.folder.appending(path: "laptop").path)
    }
  }

  @Test func `devices meet at a remote, and each outcome has its exit code`() throws {
    try withDevice { tandem, phone, laptop throws in
      let missing = try tandem.run("sync", phone, "--remote", "box:books")
      #expect(missing.status == 2 && missing.trouble.contains("there is nothing at box:books"), "\(missing)")
      let plan = try tandem.run("sync", phone, "--remote", "box:books", "--create", "--dry-run")
      #expect(plan.status == 0 && plan.output.contains("would be exported"), "\(plan)")
      let first = try tandem.run("sync", phone, "--remote", "box:books", "--create")
      #expect(first.status == 0 && first.output.contains("exported"), "\(first)")
      let second = try tandem.run("sync", laptop, "--remote", "box:books", "--json")
      #expect(second.status == 0, "\(second)")
      #expect(try JSON(parsing: second.output)["stores"] != nil)
      #expect(try tandem.run("sync", laptop, "--remote", "box:books").output == "nothing to do: the sides are equal\n")
      #expect(try tandem.run("diff", phone, laptop).status == 0)
      let only = try tandem.run("sync", phone, "--remote", "box:books", "--only", "group.example/none")
      #expect(only.status == 2 && only.trouble.contains("group.example/shop"), "\(only)")
    }
  }

  @Test func `a remote in trouble leaves the device whole`() throws {
    try withDevice { tandem, phone, laptop throws in
      var broken = tandem
      broken.environment["TROUBLE"] = "lsjson"
      let unlisted = try broken.run("sync", phone, "--remote", "box:books")
      #expect(unlisted.status == 2 && unlisted.trouble.contains("check the network"), "\(unlisted)")
      broken.environment["TROUBLE"] = "copy"
      let uncopied = try broken.run("sync", phone, "--remote", "box:books", "--create")
      #expect(uncopied.status == 1 && uncopied.trouble.contains("connection refused"), "\(uncopied)")
      try tandem.run("sync", phone, "--remote", "box:books", "--create")
      #expect(try tandem.run("sync", laptop, "--remote", "box:books").status == 0)
      #expect(try tandem.run("diff", phone, laptop).status == 0)
      #expect(try tandem.run("check", phone).status == 0)
    }
  }

  @Test func `Ctrl-C during a transfer ends rclone, and the next run ends the work`() throws {
    try withDevice { tandem, phone, laptop throws in
      try tandem.run("sync", phone, "--remote", "box:books", "--create")
      var waiting = tandem
      waiting.environment["WAIT"] = "copy"
      let run = try waiting.start("sync", laptop, "--remote", "box:books")
      let begun = try #require(tandem.environment["SHELF"]) + ".begun"
      while !FileManager.default.fileExists(atPath: begun) { usleep(10_000) }
      #expect(run.end(by: SIGINT) == 130)
      #expect(try FileManager.default.contentsOfDirectory(atPath: laptop).isEmpty)
      #expect(try tandem.run("sync", laptop, "--remote", "box:books").status == 0)
      #expect(try tandem.run("diff", phone, laptop).status == 0)
    }
  }

  @Test(arguments: [
    ["sync", "a", "b", "--remote", "box:x"], ["sync", "a", "--remote", "box:x", "--folder", "f"],
    ["sync", "a", "--remote", "box:x", "--shared-folder"], ["sync", "a", "--remote", "box:x", "--watch", "--dry-run"],
  ])
  func `options that contradict each other are refused`(_ arguments: [String]) throws {
    #expect(try Tandem().run(arguments: arguments).status == 2)
  }

  @Test func `a path of this machine is no remote`() throws {
    try withDevice { tandem, phone, _ throws in
      let outcome = try tandem.run("sync", phone, "--remote", "/tmp/shelf")
      #expect(outcome.status == 2 && outcome.trouble.contains("--folder"), "\(outcome)")
    }
  }
}
