//! The places of the app: what a path means, and what each place is called.

/// A page the user can go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `/ui/chat` and every chat under it.
    Chat,
    /// `/ui/toolsets` and every toolset under it.
    Toolsets,
    /// `/ui/servers`.
    Servers,
    /// `/ui/tools` and every tool under it.
    Tools,
    /// `/ui/settings`.
    Settings,
    /// A path that leads nowhere.
    Nowhere,
}

impl Place {
    /// The places of the navigation, in its order.
    pub(crate) const ALL: [Self; 5] = [Self::Chat, Self::Toolsets, Self::Servers, Self::Tools, Self::Settings];

    /// The place a path leads to.
    pub(crate) fn of(path: &str) -> Self {
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (None, ..) | (Some("ui"), Some("chat"), _, None) => Self::Chat,
            (Some("ui"), Some("toolsets"), _, None) => Self::Toolsets,
            (Some("ui"), Some("servers"), None, None) => Self::Servers,
            (Some("ui"), Some("tools"), _, None) => Self::Tools,
            (Some("ui"), Some("settings"), None, None) => Self::Settings,
            _ => Self::Nowhere,
        }
    }

    /// The id of the chat that a path names, as it stands there.
    pub(crate) fn chat_of(path: &str) -> Option<String> {
        let id = path.strip_prefix("/ui/chat/")?.trim_end_matches('/');
        (!id.is_empty() && !id.contains('/')).then(|| id.to_owned())
    }

    /// The id of the toolset that a path names, as it stands there.
    pub(crate) fn toolset_of(path: &str) -> Option<String> {
        let id = path.strip_prefix("/ui/toolsets/")?.trim_end_matches('/');
        (!id.is_empty() && !id.contains('/')).then(|| id.to_owned())
    }

    /// The id of the tool that a path names, as it stands there.
    pub(crate) fn tool_of(path: &str) -> Option<String> {
        let id = path.strip_prefix("/ui/tools/")?.trim_end_matches('/');
        (!id.is_empty() && !id.contains('/')).then(|| id.to_owned())
    }

    /// The path that leads here.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat | Self::Nowhere => "/ui/chat",
            Self::Toolsets => "/ui/toolsets",
            Self::Servers => "/ui/servers",
            Self::Tools => "/ui/tools",
            Self::Settings => "/ui/settings",
        }
    }

    /// What the place is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chat => "Chat",
            Self::Toolsets => "Toolsets",
            Self::Servers => "MCP Servers",
            Self::Tools => "Tools",
            Self::Settings => "Settings",
            Self::Nowhere => "Not found",
        }
    }

    /// The word the style sheets know the place by.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Toolsets => "toolsets",
            Self::Servers => "servers",
            Self::Tools => "tools",
            Self::Settings => "settings",
            Self::Nowhere => "nowhere",
        }
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::Place;

    fn check(path: &str, expected: Place) {
        assert_eq!(Place::of(path), expected, "{path}");
    }

    /// R232
    #[wasm_bindgen_test]
    fn paths_lead_to_places() {
        check("/", Place::Chat);
        check("/ui/chat", Place::Chat);
        check("/ui/chat/0198c5a4-7c1e-7000-8000-000000000001", Place::Chat);
        check("/ui/toolsets/", Place::Toolsets);
        check("/ui/toolsets/my-toolset", Place::Toolsets);
        check("/ui/servers", Place::Servers);
        check("/ui/tools/my-toolset:count", Place::Tools);
        check("/ui/settings", Place::Settings);
        check("/ui", Place::Nowhere);
        check("/ui/chat/one/two", Place::Nowhere);
        check("/ui/settings/more", Place::Nowhere);
        check("/elsewhere", Place::Nowhere);
    }

    #[wasm_bindgen_test]
    fn a_path_names_a_chat() {
        assert_eq!(Place::chat_of("/ui/chat/one"), Some("one".into()));
        for path in ["/ui/chat", "/ui/chat/", "/ui/chat/one/two", "/ui/tools"] {
            assert_eq!(Place::chat_of(path), None, "{path}");
        }
    }

    #[wasm_bindgen_test]
    fn every_place_is_where_its_path_leads() {
        for place in Place::ALL {
            check(place.path(), place);
        }
    }
}
