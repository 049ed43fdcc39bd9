import Foundation
import Testing

/// `astrosvitla report generate`: without a credit, and with a program of the person's own as the writer.
@Suite struct WriterProgramTests {
  private func generate(
    _ folder: URL, writer: String? = nil, limit: String = "60", language: String = "en"
  ) throws -> ProgramRun {
    let writing = writer.map { ["--writer", $0, "--writer-limit", limit] } ?? []
    return try ProgramRun(
      ["astrosvitla", "report", "generate", "Olena", "--area", "career", "--device", "phone", "--language", language]
        + writing, in: folder)
  }

  private func run(_ folder: URL, _ words: String) throws -> ProgramRun {
    try ProgramRun(["astrosvitla"] + words.split(separator: " ").map(String.init), in: folder)
  }

  private func withChart(credits product: String? = "single", _ body: (URL) throws -> Void) throws {
    try withDevices("phone") { folder in
      #expect(
        try run(folder, "chart add Olena --date 1991-08-24 --time 07:45 --place Kyiv --device phone").code == 0)
      if let product { #expect(try run(folder, "buy \(product) --device phone").code == 0) }
      try body(folder)
    }
  }

  @Test func `without a credit the answer names products, prices and what to do`() throws {
    try withChart(credits: nil) { folder in
      let poor = try generate(folder)
      #expect(poor.code == 1 && poor.output.isEmpty && poor.trouble.contains("Not enough credits."), "\(poor)")
      #expect(poor.trouble.contains("1 Report Credit · $4.99 · astrosvitla buy single\n"))
      #expect(poor.trouble.contains(" · $19.99 · 20% off · astrosvitla buy pack5\n"))
      #expect(poor.trouble.contains(" · $9.99 · astrosvitla buy monthly\n"))
      #expect(try run(folder, "appstore account --storefront UKR").code == 0)
      let ukrainian = try generate(folder, language: "uk").trouble
      #expect(ukrainian.contains("1 кредит звіту · 199") && ukrainian.contains("дешевше на 20 %"), "\(ukrainian)")
    }
  }

  @Test func `a program gets the chart as JSON and its text becomes the report`() throws {
    try withChart { folder in
      let script = #"cat > order.json; echo "  Written by a program for $(grep -o '"area":"[a-z]*"' order.json)  ""#
      let report = try generate(folder, writer: script)
      #expect(report.code == 0, "\(report)")
      #expect(report.output.hasSuffix("\nWritten by a program for \"area\":\"career\"\n"), "\(report)")
      let order =
        try JSONSerialization.jsonObject(
          with: Data(contentsOf: folder.appending(path: "order.json"))) as? [String: Any]
      #expect(order?["language"] as? String == "en")
      #expect(((order?["chart"] as? [String: Any])?["planets"] as? [Any])?.count == 10)
      #expect(try run(folder, "credits --device phone").output.hasPrefix("available 0 · consumed 1"))
    }
  }

  @Test(arguments: [
    ("exit 7", "ended with code 7"), ("true", "came out empty"), ("echo '  '", "came out empty"),
    ("kill -9 $$", "ended by signal 9"), ("no-such-program-here", "ended with code 127"),
    ("printf '\\377\\376'", "no UTF-8"), ("head -c 2000000 /dev/zero", "more than 1 MiB"),
  ])
  func `a program that fails leaves the credit free`(command: String, what: String) throws {
    try withChart { folder in
      let failed = try generate(folder, writer: command)
      #expect(failed.code == 3 && failed.output.isEmpty && failed.trouble.contains(what), "\(failed)")
      #expect(failed.trouble.contains("Your credit was given back"))
      #expect(try run(folder, "credits --device phone").output == "available 1 · consumed 0 · purchased 1\n")
      #expect(try generate(folder).code == 0)
    }
  }

  @Test(arguments: ["sleep 600", "sleep 600 & echo begun; wait", "exec >&-; sleep 600"])
  func `a program that takes too long is ended with all that it started, and the credit is free`(
    command: String
  ) throws {
    try withChart { folder in
      // Held open by all that the program starts; the system closes it with the last of them.
      let pipe = folder.appending(path: "held").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let late = try generate(folder, writer: "exec 9> held; \(command)", limit: "0.5")
      #expect(late.code == 3 && late.trouble.contains("took longer than 0.5 seconds"), "\(late)")
      var held = pollfd(fd: reader, events: 0, revents: 0)
      #expect(poll(&held, 1, 60_000) == 1 && Int32(held.revents) & Int32(POLLHUP) != 0)
      #expect(try run(folder, "credits --device phone").output == "available 1 · consumed 0 · purchased 1\n")
    }
  }

  /// A runner that was started by `nohup` ignores SIGHUP, and so do its programs.
  private static let signals = [SIGINT, SIGTERM, SIGHUP].filter { number in
    var action = sigaction()
    return sigaction(number, nil, &action) == 0 && action.__sigaction_handler.sa_handler == nil
  }

  @Test(arguments: signals)
  func `a signal ends the program that writes along with all that it started, and the credit is there`(
    signal: Int32
  ) throws {
    try withChart { folder in
      let arguments = [
        "astrosvitla", "report", "generate", "Olena", "--area", "career", "--device", "phone", "--writer",
        "sleep 600 & echo begun >&2; wait",
      ]
      // Comes to its end only when nothing holds the program's standard error any more.
      let ended = try ProgramRun(arguments, in: folder, killAt: "begun", by: signal)
      #expect(ended.code == -signal, "\(ended)")
      #expect(try generate(folder).code == 0)
      #expect(try run(folder, "credits --device phone").output == "available 0 · consumed 1 · purchased 1\n")
    }
  }

  @Test(arguments: ["0", "4000", "soon"])
  func `a limit that is none ends with 2`(limit: String) throws {
    try withDevices("phone") { folder in
      let refused = try generate(folder, writer: "true", limit: limit)
      #expect(refused.code == 2, "\(refused)")
    }
  }
}
