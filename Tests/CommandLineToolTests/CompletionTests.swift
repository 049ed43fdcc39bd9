import Foundation
import RecordStore
import TestSupport
import Testing

/// Completions of zsh and fish, played at a terminal where these shells are installed. A terminal for both is made by
/// zsh's module `zpty`, which waits for what is expected.
@Suite(.timeLimit(.minutes(TestLength.minutesUntilHung))) struct CompletionTests {
  private static func isInstalled(_ shell: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)")
  }

  /// What is typed before Tab, and what the shell then shows, each in a line of its own.
  private func lines(_ store: String) -> String {
    [
      ("tandem query \(store) ", "Tag"), ("tandem query \(store) Item --fields tit", "le"),
      ("tandem query \(store) Item --fields title,", "title,price"), ("tandem query \(store) Item --sort -du", "e"),
      ("tandem insert \(store) Item pri", "ce="), ("tandem conf", "licts"),
    ].map { "\($0)\n\($1)\n" }.joined()
  }

  private static let play = #"""
    zmodload zsh/zpty
    expect() { zpty -r S seen "*$1*" || { print -r -- "the shell ended before it showed '$1': $seen"; exit 1 } }
    if [[ $KIND == zsh ]]; then
      zpty S zsh -f -i
      zpty -w S "PS1='> '; fpath=($PLACE \$fpath); autoload -U compinit; compinit -u -d $PLACE/dump; print set-\up"
    else
      zpty S fish --no-config -i
      zpty -w S "source $PLACE/tandem.fish; echo set-\"up\""
    fi
    expect set-up
    while IFS= read -r line; do
      IFS= read -r wanted
      zpty -n -w S "$line"$'\t'
      expect "$wanted"
      print -r -- "$line: $wanted"
      zpty -n -w S $'\x15'
    done <$PLACE/lines
    """#

  @Test(
    .enabled(if: isInstalled("zsh"), "zsh makes the terminal; Debian's package is 'zsh'"),
    arguments: ["zsh", "fish"].filter(isInstalled))
  func `entities and fields of the store that a line names are completed`(shell: String) throws {
    try Shop.with { shop throws in
      var tandem = Tandem()
      let programs = try Tandem.executable().deletingLastPathComponent().path
      let place = shop.folder.path
      tandem.environment = [
        "KIND": shell, "PLACE": place, "HOME": place, "TERM": "xterm", "XDG_DATA_HOME": place + "/data",
        "PATH": programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"),
      ]
      tandem.folder = shop.folder
      let script = try tandem.run("--generate-completion-script", shell).output
      try Data(script.utf8).write(to: shop.folder.appendingPathComponent(shell == "zsh" ? "_tandem" : "tandem.fish"))
      let lines = lines("shop.store")
      try Data(lines.utf8).write(to: shop.folder.appendingPathComponent("lines"))
      try Data(Self.play.utf8).write(to: shop.folder.appendingPathComponent("play"))
      let outcome = try tandem.shell("exec timeout -s KILL 120 zsh -f play")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.lines.count == lines.split(separator: "\n").count / 2, "\(outcome)")
    }
  }

  @Test(.enabled(if: isInstalled("bash")))
  func `bash runs nothing of a name that it completes`() throws {
    try Shop.with { shop throws in
      let hostile = AttributeDefinition(name: "na`touch ran-2`me", type: .string)
      let plain = AttributeDefinition(name: "größe", type: .string)
      let schema = StoreSchema(entities: [
        EntityDefinition(name: "It$(touch ran-1)em", attributes: [hostile, plain]), EntityDefinition(name: "Tag"),
      ])
      let url = shop.folder.appendingPathComponent("odd.store")
      _ = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush), schema: schema)
      var tandem = Tandem()
      tandem.folder = shop.folder
      let script = try tandem.run("--generate-completion-script", "bash").output
      try Data(script.utf8).write(to: shop.folder.appendingPathComponent("tandem.bash"))
      let program = try Tandem.executable().path
      for (words, wanted) in [(["query", "odd.store", ""], "Tag"), (["insert", "odd.store", "Any", ""], "größe=")] {
        let line = (["tandem"] + words).joined(separator: " ")
        let list = ([program] + words).map { "'\($0)'" }.joined(separator: " ")
        let outcome = try tandem.shell(
          """
          exec bash -c 'source ./tandem.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$0"; \
          COMP_POINT=${#COMP_LINE}; _tandem tandem "" x; printf "%s\\n" "${COMPREPLY[@]}"' '\(line)' \(list)
          """)
        #expect(outcome.lines.contains(wanted), "\(outcome)")
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path)
      #expect(files.filter { $0.hasPrefix("ran") } == [])
    }
  }
}
