import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// A server on the loopback address of this machine, for one person's browser.
///
/// It listens on 127.0.0.1 and nowhere else. See ``RequestGuard`` for which requests are answered.
package struct PageServer: Sendable {
  private let gate = RequestGuard()
  private let hub: EventHub
  private let responder: PageResponder

  package init(routes: [PageRoute], isReadOnly: Bool, events hub: EventHub) {
    self.hub = hub
    responder = PageResponder(gate: gate, hub: hub, routes: routes, isReadOnly: isReadOnly)
  }

  /// Serves until the task is cancelled, and then tells open pages why their streams end.
  ///
  /// - Parameters:
  ///   - port: 0 takes one that is free.
  ///   - whenReady: gets the address, when the first request would be answered.
  /// - Throws: ``PageRefusal`` where the port cannot be had; then nothing was served.
  package func run(port: Int, whenReady: @escaping @Sendable (String) -> Void) async throws {
    let application = application(port: port, whenReady)
    let serving = Task { try await application.run() }
    let beating = Task { try await beat() }
    defer { beating.cancel() }
    do {
      try await withTaskCancellationHandler {
        try await serving.value
      } onCancel: {
        hub.end("the server was ended; start 'tandem serve' again")
        Task {
          await streamsToEnd()
          serving.cancel()
        }
      }
    } catch {
      // The end that was asked for.
      if Task.isCancelled { return }
      throw PageServer.refusal(error, port: port)
    }
  }

  private func application(
    port: Int, _ whenReady: @escaping @Sendable (String) -> Void
  ) -> Application<PageResponder> {
    Application(
      responder: responder, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { [gate] channel in
        gate.port = channel.localAddress?.port
        // Behind the sign `#`: browsers keep that part to themselves, so it gets into no log and no other page.
        whenReady("http://127.0.0.1:\(gate.port ?? port)/#token=\(gate.token.text)")
      }, logger: Logger(label: "tandem.page") { _ in SwiftLogNoOpLogHandler() })
  }

  private func beat() async throws {
    while true {
      try await Task.sleep(for: .seconds(15))
      hub.beat()
    }
  }

  /// Waits until the open streams have said their last, but for no more than a second.
  private func streamsToEnd() async {
    let latest = ContinuousClock.now + .seconds(1)
    while hub.hasOpenStreams, ContinuousClock.now < latest {
      do { try await Task.sleep(for: .milliseconds(20)) } catch { return }
    }
  }

  private static func refusal(_ error: any Error, port: Int) -> any Error {
    guard let error = error as? IOError else { return error }
    switch error.errnoCode {
    case EADDRINUSE:
      return PageRefusal(
        "port \(port) is used by another program; name another one, or leave --port out for one that is free")
    case EACCES: return PageRefusal("port \(port) is kept for the system; name one above 1023, or leave --port out")
    default: return PageRefusal("cannot listen on port \(port): \(error.description); name another one")
    }
  }
}
