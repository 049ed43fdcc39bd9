import Foundation
import StoreInspection

/// Headless Chromium with one page, which a test looks at and types into as a person would.
///
/// It speaks the DevTools protocol: JSON that ends with a zero byte, over two pipes that Chromium knows as the files 3
/// and 4. So no port is open, and no other program can meddle.
final class Browser {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")
  /// As long may one answer take on a busy machine; nothing waits so long where all is well.
  private static let patienceMilliseconds: Int32 = 60_000

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread: [UInt8] = []
  private var lastCommand = 0
  private var session: String?

  /// - Parameter profile: A folder for what Chromium writes; it need not be there.
  init(profile: String, width: Int = 1_200, height: Int = 800, isDark: Bool = false) throws {
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = [
      "-c",
      #"""
      exec chromium --headless=new --no-sandbox --disable-gpu --no-first-run --user-data-dir="$0" \
        --remote-debugging-pipe 3<&0 4>&1 </dev/null >/dev/null 2>&1
      """#, profile,
    ]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let target = try command("Target.createTarget", ["url": .string("about:blank")])["targetId"] ?? .null
    session = try command("Target.attachToTarget", ["targetId": target, "flatten": .bool(true)])["sessionId"]?
      .stringValue
    try command("Page.enable")
    try resize(width: width, height: height)
    let scheme: JSON = ["name": .string("prefers-color-scheme"), "value": .string(isDark ? "dark" : "light")]
    try command("Emulation.setEmulatedMedia", ["features": .array([scheme])])
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  func resize(width: Int, height: Int) throws {
    try command(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .integer(width), "height": .integer(height), "deviceScaleFactor": .integer(1), "mobile": .bool(false),
      ])
  }

  func open(_ address: String) throws {
    try command("Page.navigate", ["url": .string(address)])
  }

  /// The value of a JavaScript expression in the page; of a promise what it comes to.
  @discardableResult
  func value(of expression: String) throws -> JSON {
    let answer = try command(
      "Runtime.evaluate",
      ["expression": .string(expression), "awaitPromise": .bool(true), "returnByValue": .bool(true)])
    if let exception = answer["exceptionDetails"] { throw Failure(description: "\(expression): \(exception)") }
    return answer["result"]?["value"] ?? .null
  }

  func text(of expression: String) throws -> String { try value(of: "String(\(expression))").stringValue ?? "" }

  /// Waits until an expression is true, which the page looks at again and again.
  func wait(until condition: String) throws {
    let looking = """
      new Promise((resolve) => {
        const latest = performance.now() + 50000;
        const look = () => {
          let isMet = false;
          try { isMet = Boolean(\(condition)); } catch { /* Not there yet. */ }
          if (isMet || performance.now() > latest) resolve(isMet);
          else setTimeout(look, 20);
        };
        look();
      })
      """
    while true {
      do {
        guard try value(of: looking) == .bool(true) else {
          let page = try text(of: "document.body.innerText")
          throw Failure(description: "'\(condition)' did not come true; the page says: \(page.prefix(3_000))")
        }
        return
      } catch let failure as Failure where failure.description.contains("context") {
        // The page was loaded anew meanwhile, and the promise went with the old one.
        continue
      }
    }
  }

  /// Presses and releases a key: a character, or a name such as `Tab`, `Enter`, `Escape`, `ArrowDown`.
  func press(_ key: String, shift: Bool = false) throws {
    let codes = ["Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, " ": 32]
    let text = key == "Enter" ? "\r" : key.count == 1 ? key : nil
    for kind in ["keyDown", "keyUp"] {
      var event: [(String, JSON)] = [
        ("type", .string(kind)), ("key", .string(key)), ("modifiers", .integer(shift ? 8 : 0)),
        ("windowsVirtualKeyCode", .integer(codes[key] ?? 0)),
      ]
      if let text, kind == "keyDown" { event.append(("text", .string(text))) }
      try command("Input.dispatchKeyEvent", .object(event.map { .init($0.0, $0.1) }))
    }
  }

  /// Types a text into what has the focus.
  func type(_ text: String) throws { try command("Input.insertText", ["text": .string(text)]) }

  /// Presses Tab until what has the focus is as asked; throws where the focus comes round without.
  func tab(until condition: String, shift: Bool = false) throws {
    for _ in 0..<80 {
      try press("Tab", shift: shift)
      if try value(of: "Boolean(\(condition))") == .bool(true) { return }
    }
    throw Failure(description: "no press of Tab made '\(condition)' true")
  }

  /// A picture of what the window shows, as PNG.
  func picture() throws -> Data {
    let answer = try command("Page.captureScreenshot", ["format": .string("png")])
    guard let data = answer["data"]?.stringValue.flatMap({ Data(base64Encoded: $0) }) else {
      throw Failure(description: "Chromium gave no picture: \(answer)")
    }
    return data
  }

  @discardableResult
  private func command(_ method: String, _ parameters: JSON = .object([])) throws -> JSON {
    // Writing to one that has ended would end the tests as well.
    guard process.isRunning else { throw Failure(description: "Chromium ended before it was asked \(method)") }
    lastCommand += 1
    var message: [JSON.Member] = [
      .init("id", .integer(lastCommand)), .init("method", .string(method)), .init("params", parameters),
    ]
    if let session { message.append(.init("sessionId", .string(session))) }
    try input.fileHandleForWriting.write(contentsOf: Data(JSON.object(message).description.utf8) + [0])
    while true {
      // Events pass by.
      let message = try JSON(parsing: try nextMessage(for: method))
      guard message["id"]?.integerValue(as: Int.self) == lastCommand else { continue }
      if let error = message["error"] { throw Failure(description: "\(method): \(error)") }
      return message["result"] ?? .null
    }
  }

  private func nextMessage(for method: String) throws -> String {
    while true {
      if let end = unread.firstIndex(of: 0) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var reading = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&reading, 1, Browser.patienceMilliseconds) > 0 else {
        throw Failure(description: "Chromium does not answer \(method)")
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw Failure(description: "Chromium ended before it answered \(method)") }
      unread.append(contentsOf: more)
    }
  }
}
