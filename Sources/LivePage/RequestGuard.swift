import HTTPTypes
import Synchronization

/// Admits the requests of the page, and of programs that were given its address; refuses all others.
///
/// 1. The `Host` is this server under a name of the machine itself. A page elsewhere whose own name was made to lead to
///    127.0.0.1 (DNS rebinding) sends its own.
/// 2. An `Origin`, and what the browser says of a request's site, are those of the page.
/// 3. Data is given only to those that bear the token. It travels in a header, which no form or image of another page
///    can send; a cookie would go to every port of the machine.
final class RequestGuard: Sendable {
  let token = AccessToken()
  private let knownPort = Mutex<Int?>(nil)

  /// Known before the first request is taken.
  var port: Int? {
    get { knownPort.withLock { $0 } }
    set { knownPort.withLock { $0 = newValue } }
  }

  func admit(_ head: HTTPRequest) throws(PageRefusal) {
    guard let host = head.authority, hosts.contains(host.lowercased()) else {
      throw PageRefusal(
        "this address is not that of the page; open the one that 'tandem serve' printed", status: .misdirectedRequest)
    }
    if let origin = head.headerFields[.origin], origin.lowercased() != "http://\(host.lowercased())" {
      throw PageRefusal("requests of other pages are refused", status: .forbidden)
    }
    if let site = head.headerFields[.fetchSite], !["same-origin", "none"].contains(site) {
      throw PageRefusal("requests of other pages are refused", status: .forbidden)
    }
  }

  func requireToken(_ head: HTTPRequest) throws(PageRefusal) {
    let scheme = "Bearer "
    guard let given = head.headerFields[.authorization], given.hasPrefix(scheme),
      token.isEqual(to: given.dropFirst(scheme.count))
    else {
      throw PageRefusal(
        "the request does not bear the token of this run; open the address that 'tandem serve' printed",
        status: .unauthorized)
    }
  }

  private var hosts: [String] {
    guard let port else { return [] }
    let names = ["127.0.0.1", "localhost"]
    return names.map { "\($0):\(port)" } + (port == 80 ? names : [])
  }
}

extension HTTPField.Name {
  /// The site of the page that a request comes from, as browsers say since 2020.
  static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
