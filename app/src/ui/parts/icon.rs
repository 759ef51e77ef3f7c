//! The icons, each one path drawn on a grid of 24 with a line of even width.

use leptos::prelude::*;

/// Which icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IconName {
    /// A magnifying glass.
    Search,
    /// A speech bubble.
    Chat,
    /// Two speech bubbles.
    Chats,
    /// A box with its lid.
    Toolset,
    /// A plug.
    Server,
    /// A wrench.
    Tool,
    /// Three sliders.
    Settings,
    /// A folder.
    Files,
    /// Three dots.
    More,
    /// A plus.
    Plus,
    /// A cross.
    Close,
    /// Three lines.
    Menu,
    /// A window with its left part marked.
    LeftPane,
    /// A window with its right part marked.
    RightPane,
    /// An arrow up.
    Send,
    /// A pencil.
    Edit,
    /// A bin.
    Delete,
    /// A point to the left.
    Back,
    /// A point to the right.
    Forward,
    /// A point downwards.
    Down,
    /// A tick.
    Check,
    /// A circle with an i.
    Info,
    /// A triangle with an exclamation mark.
    Warning,
    /// A circle with an exclamation mark.
    Error,
    /// A shield with a tick.
    Shield,
    /// A sun.
    Sun,
    /// A moon.
    Moon,
    /// A screen.
    Screen,
    /// A link of a chain, broken.
    Offline,
    /// A compass.
    Compass,
    /// Two arrows in a circle.
    Update,
    /// A sheet of paper.
    File,
    /// A sheet with a plus.
    NewFile,
    /// A folder with a plus.
    NewFolder,
    /// An arrow up, out of a tray.
    Upload,
    /// A folder with an arrow up.
    UploadFolder,
    /// An arrow down, into a tray.
    Download,
    /// Two sheets side by side.
    Compare,
    /// A clock that goes back.
    History,
    /// A line that divides.
    Fork,
    /// Two sheets, one over the other.
    Copy,
    /// Four corners.
    Full,
    /// Four corners, turned inwards.
    Small,
    /// A square.
    Stop,
}

/// An icon. It says nothing to screen readers: the words beside it do.
#[component]
pub(crate) fn Icon(
    /// Which one.
    name: IconName,
    /// As high as the text it stands in.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let class = if small { "icon icon-small" } else { "icon" };
    view! {
        <svg class=class viewBox="0 0 24 24" aria-hidden="true">
            <path d=name.path() />
        </svg>
    }
}

impl IconName {
    fn path(self) -> &'static str {
        match self {
            Self::Search => "M16.2 16.2L21 21M18 10.5a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0z",
            Self::Chat => "M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z",
            Self::Chats => {
                "M4 4h10a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H9l-4 3v-3H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM19 9h1a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-1v3l-4-3h-3"
            }
            Self::Toolset => "M3 8l9-5 9 5v8l-9 5-9-5zM3 8l9 5 9-5M12 13v8M7.5 5.5l9 5",
            Self::Server => "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4",
            Self::Tool => {
                "M14.5 6.5a4.5 4.5 0 0 1 5.8-2.3l-2.8 2.8.5 2 2 .5 2.8-2.8a4.5 4.5 0 0 1-6 5.6L9 20.1a2.2 2.2 0 0 1-3.1-3.1l7.8-7.8a4.5 4.5 0 0 1 .8-2.7z"
            }
            Self::Settings => {
                "M4 7h8.5M17.5 7H20M17.5 7a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM4 17h2.5M11.5 17H20M11.5 17a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z"
            }
            Self::Files => "M3 7a2 2 0 0 1 2-2h4l2.5 2.5H19a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
            Self::More => {
                "M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0zM13 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0zM20 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0z"
            }
            Self::Plus => "M12 5v14M5 12h14",
            Self::Close => "M6 6l12 12M18 6L6 18",
            Self::Menu => "M4 7h16M4 12h16M4 17h16",
            Self::LeftPane => "M5 4h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM9.5 4v16",
            Self::RightPane => "M5 4h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM14.5 4v16",
            Self::Send => "M12 19V5M6 11l6-6 6 6",
            Self::Edit => "M4 20l1-4.5L16.5 4l3.5 3.5L8.5 19zM14 6.5l3.5 3.5",
            Self::Delete => "M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10.5 11v5M13.5 11v5",
            Self::Back => "M14.5 6l-6 6 6 6",
            Self::Forward => "M9.5 6l6 6-6 6",
            Self::Down => "M6 9.5l6 6 6-6",
            Self::Check => "M5 12.5l4.5 4.5L19 7.5",
            Self::Info => "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01",
            Self::Warning => "M12 4l9 16H3zM12 10v4M12 17h.01",
            Self::Error => "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7.5v5M12 16h.01",
            Self::Shield => "M12 3l8 3v5c0 5-3.5 8.5-8 10-4.5-1.5-8-5-8-10V6zM8.5 12l2.5 2.5L15.5 10",
            Self::Sun => {
                "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"
            }
            Self::Moon => "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
            Self::Screen => "M4 5h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM8 21h8M12 17v4",
            Self::Offline => {
                "M3 3l18 18M8.5 16.5a5 5 0 0 1 7 0M5 13a10 10 0 0 1 4-2.3M19 13a10 10 0 0 0-5.5-2.8M12 20h.01M2 9.5a15 15 0 0 1 4-2.7M22 9.5A15 15 0 0 0 10.5 5.1"
            }
            Self::Compass => "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM15.5 8.5l-2 5-5 2 2-5z",
            Self::File => "M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5",
            Self::NewFile => "M13 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V9zM13 3v6h6M12 12.5v5M9.5 15h5",
            Self::NewFolder => {
                "M3 7a2 2 0 0 1 2-2h4l2.5 2.5H19a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM12 11v5M9.5 13.5h5"
            }
            Self::Upload => "M12 16V4M7 9l5-5 5 5M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3",
            Self::UploadFolder => {
                "M3 7a2 2 0 0 1 2-2h4l2.5 2.5H19a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM12 16.5V11M9.5 13.3L12 11l2.5 2.3"
            }
            Self::Download => "M12 4v12M7 11l5 5 5-5M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3",
            Self::Compare => "M4 4h6v16H4zM14 4h6v16h-6zM6 8h2M6 11h2M16 8h2M16 14h2",
            Self::History => "M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 8v4.5l3 2",
            Self::Fork => "M7 4v5a4 4 0 0 0 4 4h6M14 9.5l3.5 3.5-3.5 3.5M7 4v16",
            Self::Copy => {
                "M9 8h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1zM16 8V5a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h3"
            }
            Self::Full => "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
            Self::Small => "M9 4v5H4M20 9h-5V4M15 20v-5h5M4 15h5v5",
            Self::Stop => "M7 7h10v10H7z",
            Self::Update => "M20 11a8 8 0 0 0-14.5-3.5L3 10M3 5v5h5M4 13a8 8 0 0 0 14.5 3.5L21 14M21 19v-5h-5",
        }
    }
}
